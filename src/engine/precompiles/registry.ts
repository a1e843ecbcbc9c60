import { FORKS, type Fork, includesFork } from '../../chain/forks/forks.ts'
import type { Layer2Rules } from '../../chain/forks/layer2-rules.ts'
import type { Address } from '../../primitives/hex.ts'
import { type Precompile, precompileAddress } from '../precompile.ts'
import { blake2f } from './blake2f.ts'
import { bls12G1Add, bls12G1Msm, bls12MapFpToG1 } from './bls12-381/bls12-g1.ts'
import { bls12G2Add, bls12G2Msm, bls12MapFp2ToG2 } from './bls12-381/bls12-g2.ts'
import { bls12Pairing } from './bls12-381/bls12-pairing.ts'
import { bn254Add, bn254Mul } from './bn254/bn254-g1.ts'
import { bn254Pairing } from './bn254/bn254-pairing.ts'
import { ecrecover } from './ecrecover.ts'
import { identity, ripemd160, sha256 } from './hashes.ts'
import { withLayer2Rules } from './layer2-precompiles.ts'
import { modexp } from './modexp.ts'
import { p256Verify } from './p256-verify.ts'
import { pointEvaluationPrecompile } from './point-evaluation.ts'

interface PrecompileEntry {
  readonly address: number
  /** As EIP-7910 spells it, for `eth_config`. */
  readonly name: string
  /** Fork that introduced it. */
  readonly since: Fork
  readonly precompile: Precompile
}

/** Every precompile. `registry.test.ts` fails when a file of this folder exports one that is not listed. */
export const PRECOMPILES: readonly PrecompileEntry[] = [
  { address: 0x01, name: 'ECREC', since: 'frontier', precompile: ecrecover },
  { address: 0x02, name: 'SHA256', since: 'frontier', precompile: sha256 },
  { address: 0x03, name: 'RIPEMD160', since: 'frontier', precompile: ripemd160 },
  { address: 0x04, name: 'ID', since: 'frontier', precompile: identity },
  { address: 0x05, name: 'MODEXP', since: 'byzantium', precompile: modexp },
  { address: 0x06, name: 'BN254_ADD', since: 'byzantium', precompile: bn254Add },
  { address: 0x07, name: 'BN254_MUL', since: 'byzantium', precompile: bn254Mul },
  { address: 0x08, name: 'BN254_PAIRING', since: 'byzantium', precompile: bn254Pairing },
  { address: 0x09, name: 'BLAKE2F', since: 'istanbul', precompile: blake2f },
  { address: 0x0a, name: 'KZG_POINT_EVALUATION', since: 'cancun', precompile: pointEvaluationPrecompile },
  { address: 0x0b, name: 'BLS12_G1ADD', since: 'prague', precompile: bls12G1Add },
  { address: 0x0c, name: 'BLS12_G1MSM', since: 'prague', precompile: bls12G1Msm },
  { address: 0x0d, name: 'BLS12_G2ADD', since: 'prague', precompile: bls12G2Add },
  { address: 0x0e, name: 'BLS12_G2MSM', since: 'prague', precompile: bls12G2Msm },
  { address: 0x0f, name: 'BLS12_PAIRING_CHECK', since: 'prague', precompile: bls12Pairing },
  { address: 0x10, name: 'BLS12_MAP_FP_TO_G1', since: 'prague', precompile: bls12MapFpToG1 },
  { address: 0x11, name: 'BLS12_MAP_FP2_TO_G2', since: 'prague', precompile: bls12MapFp2ToG2 },
  { address: 0x100, name: 'P256VERIFY', since: 'osaka', precompile: p256Verify },
]

const BY_FORK = new Map(FORKS.map((fork) => [fork, activeIn(fork)]))

/**
 * The precompiles that are active in a fork, by address. Their libraries load on the first call.
 *
 * @param layer2 the rules of an OP-stack chain, which limits inputs and had P256VERIFY before Ethereum
 * @example precompilesOf('prague').get(address)?.run(input, 'prague')
 */
export function precompilesOf(fork: Fork, layer2?: Layer2Rules): ReadonlyMap<Address, Precompile> {
  const active = BY_FORK.get(fork)!
  return layer2 === undefined ? active : withLayer2Rules(active, layer2)
}

const NAMES = new Map<Address, string>(PRECOMPILES.map(({ address, name }) => [precompileAddress(address), name]))

/** The name of a precompile in EIP-7910; undefined for any other address. */
export function precompileName(address: Address): string | undefined {
  return NAMES.get(address)
}

function activeIn(fork: Fork): ReadonlyMap<Address, Precompile> {
  const active = PRECOMPILES.filter(({ since }) => includesFork(fork, since))
  return new Map(active.map(({ address, precompile }) => [precompileAddress(address), precompile]))
}
