import type { Layer2Rules } from '../../chain/forks/layer2-rules.ts'
import type { Address } from '../../primitives/hex.ts'
import { type Precompile, precompileAddress } from '../precompile.ts'
import { p256Verify } from './p256-verify.ts'

const BN254_PAIRING = precompileAddress(0x08)
const BLS12_G1MSM = precompileAddress(0x0c)
const BLS12_G2MSM = precompileAddress(0x0e)
const BLS12_PAIRING_CHECK = precompileAddress(0x0f)
const P256VERIFY = precompileAddress(0x100)

/** Gas of P256VERIFY before EIP-7951 (RIP-7212). */
const P256VERIFY_GAS_OF_FJORD = 3_450n

/** The precompiles of an OP-stack chain from those of its Ethereum fork (OP-stack specs: Fjord, Granite and later). */
export function withLayer2Rules(
  active: ReadonlyMap<Address, Precompile>,
  rules: Layer2Rules,
): ReadonlyMap<Address, Precompile> {
  const precompiles = new Map(active)
  for (const [address, maxInput] of inputLimits(rules)) {
    const precompile = precompiles.get(address)
    if (precompile !== undefined) precompiles.set(address, limited(precompile, maxInput))
  }
  if (rules.hasP256Verify && !precompiles.has(P256VERIFY)) {
    precompiles.set(P256VERIFY, { ...p256Verify, gas: () => P256VERIFY_GAS_OF_FJORD })
  }
  return precompiles
}

/** Longest input of each precompile that has a limit, in bytes. */
function inputLimits(rules: Layer2Rules): ReadonlyMap<Address, number> {
  const { hasPairingLimit, hasBlsLimits, hasLowerPrecompileLimits: isLower } = rules
  const limits = new Map<Address, number>()
  if (hasPairingLimit) limits.set(BN254_PAIRING, rules.hasLowestPairingLimit ? 57_600 : isLower ? 81_984 : 112_687)
  if (hasBlsLimits) {
    limits.set(BLS12_G1MSM, isLower ? 288_960 : 513_760)
    limits.set(BLS12_G2MSM, isLower ? 278_784 : 488_448)
    limits.set(BLS12_PAIRING_CHECK, isLower ? 156_672 : 235_008)
  }
  return limits
}

/** Fails on longer inputs. */
function limited(precompile: Precompile, maxInput: number): Precompile {
  return {
    gas: precompile.gas,
    run: (input, fork) => (input.length > maxInput ? undefined : precompile.run(input, fork)),
  }
}
