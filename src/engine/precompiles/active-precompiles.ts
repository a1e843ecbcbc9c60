import { FORKS, type Fork, isActive } from '../../chain/forks/forks.ts'
import type { Address } from '../../primitives/hex.ts'
import { blake2f } from './blake2f.ts'
import { bls12G1Add, bls12G1Msm, bls12MapFpToG1 } from './bls12-381/bls12-g1.ts'
import { bls12G2Add, bls12G2Msm, bls12MapFp2ToG2 } from './bls12-381/bls12-g2.ts'
import { bls12Pairing } from './bls12-381/bls12-pairing.ts'
import { bn254Add, bn254Mul } from './bn254/bn254-g1.ts'
import { bn254Pairing } from './bn254/bn254-pairing.ts'
import { ecrecover } from './ecrecover.ts'
import { identity, ripemd160, sha256 } from './hashes.ts'
import { modexp } from './modexp.ts'
import { p256Verify } from './p256-verify.ts'
import { pointEvaluationPrecompile } from './point-evaluation.ts'
import type { Precompile } from './precompile.ts'

/** Every precompile, its number (which is its address) and the fork that brought it. */
const PRECOMPILES: readonly (readonly [number: number, since: Fork, Precompile])[] = [
  [0x01, 'frontier', ecrecover],
  [0x02, 'frontier', sha256],
  [0x03, 'frontier', ripemd160],
  [0x04, 'frontier', identity],
  [0x05, 'byzantium', modexp],
  [0x06, 'byzantium', bn254Add],
  [0x07, 'byzantium', bn254Mul],
  [0x08, 'byzantium', bn254Pairing],
  [0x09, 'istanbul', blake2f],
  [0x0a, 'cancun', pointEvaluationPrecompile],
  [0x0b, 'prague', bls12G1Add],
  [0x0c, 'prague', bls12G1Msm],
  [0x0d, 'prague', bls12G2Add],
  [0x0e, 'prague', bls12G2Msm],
  [0x0f, 'prague', bls12Pairing],
  [0x10, 'prague', bls12MapFpToG1],
  [0x11, 'prague', bls12MapFp2ToG2],
  [0x100, 'osaka', p256Verify],
]

const BY_FORK = new Map(FORKS.map((fork) => [fork, activeIn(fork)]))

/**
 * The precompiles that exist under the rules of a fork, by address. Nothing is loaded before the first call.
 *
 * @example precompilesOf('prague').get(address)?.run(input, 'prague')
 */
export function precompilesOf(fork: Fork): ReadonlyMap<Address, Precompile> {
  return BY_FORK.get(fork)!
}

function activeIn(fork: Fork): ReadonlyMap<Address, Precompile> {
  return new Map(
    PRECOMPILES.filter(([, since]) => isActive(fork, since)).map(([number, , precompile]) => [
      `0x${number.toString(16).padStart(40, '0')}` as Address,
      precompile,
    ]),
  )
}
