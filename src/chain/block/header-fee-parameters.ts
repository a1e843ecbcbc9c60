import { type Bytes, EMPTY_BYTES } from '../../primitives/hex.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import { denimScalingOf } from '../forks/denim-schedule.ts'
import { layer2RulesAt } from '../forks/layer2-rules.ts'
import { encodeExtraData } from './extra-data.ts'
import type { Header } from './header.ts'

/**
 * The `extraData` of a header: the EIP-1559 parameters for its child from Holocene on, with a minimum base fee from
 * Jovian on. Empty before, and on layer 1.
 */
export function headerFeeParameters(
  config: ChainConfig,
  { number, timestamp }: Pick<Header, 'number' | 'timestamp'>,
): Bytes {
  const rules = layer2RulesAt(config, timestamp)
  if (config.layer2 === undefined || !rules?.hasHeaderFeeParameters) return EMPTY_BYTES
  const { eip1559Denominator, eip1559Elasticity, minBaseFee } = config.layer2
  return encodeExtraData({
    denominator: eip1559Denominator * denimScalingOf(number, config),
    elasticity: eip1559Elasticity,
    ...(rules.hasMinBaseFee && { minBaseFee }),
  })
}
