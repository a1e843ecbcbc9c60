import { decodeExtraData, type Eip1559Parameters } from '../block/extra-data.ts'
import type { Header } from '../block/header.ts'
import { type ChainConfig, hasBlobs, type Layer2Config } from '../forks/chain-config.ts'
import { forkAt } from '../forks/fork-schedule.ts'
import { rulesOf } from '../forks/rules.ts'

/** Base fee of the first London block in wei per gas (EIP-1559). */
export const INITIAL_BASE_FEE = 1_000_000_000n

const LAYER1: Eip1559Parameters = { denominator: 8, elasticity: 2 }

/**
 * Base fee of the block after `parent`, in wei per gas (EIP-1559). On layer 2 the parameters come from the parent's
 * `extraData`, the DA footprint counts like gas, and the fee has a minimum (OP-stack specs: Holocene, Jovian).
 *
 * @returns 0 before London
 * @example nextBaseFee(parent, config)
 */
export function nextBaseFee(parent: Header, config: ChainConfig): bigint {
  if (parent.baseFeePerGas === undefined) {
    const isLondon = rulesOf(forkAt(config, parent.number + 1, parent.timestamp)).hasBaseFee
    return isLondon ? INITIAL_BASE_FEE : 0n
  }
  const parameters = config.layer2 ? layer2Parameters(parent, config.layer2) : LAYER1
  const metered = hasBlobs(config) ? parent.gasUsed : Math.max(parent.gasUsed, parent.blobGasUsed ?? 0)
  const fee = adjusted(parent.baseFeePerGas, parent.gasLimit, BigInt(metered), parameters)
  const floor = parameters.minBaseFee ?? 0n
  return fee < floor ? floor : fee
}

function layer2Parameters(parent: Header, layer2: Layer2Config): Eip1559Parameters {
  return (
    decodeExtraData(parent.extraData) ?? {
      denominator: layer2.eip1559Denominator,
      elasticity: layer2.eip1559Elasticity,
      minBaseFee: layer2.minBaseFee,
    }
  )
}

function adjusted(baseFee: bigint, gasLimit: bigint, used: bigint, parameters: Eip1559Parameters): bigint {
  const target = gasLimit / BigInt(parameters.elasticity)
  if (used === target || target === 0n) return baseFee
  const denominator = BigInt(parameters.denominator)
  if (used > target) {
    const rise = (baseFee * (used - target)) / target / denominator
    return baseFee + (rise > 0n ? rise : 1n)
  }
  const fee = baseFee - (baseFee * (target - used)) / target / denominator
  return fee > 0n ? fee : 0n
}
