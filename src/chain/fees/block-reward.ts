import type { Fork } from '../forks/forks.ts'
import { rulesOf } from '../forks/rules.ts'

const ETHER = 10n ** 18n

/**
 * Block reward in wei, without uncles (EIP-649, EIP-1234).
 *
 * @returns 0 from Paris on (EIP-3675)
 */
export function blockReward(fork: Fork): bigint {
  const rules = rulesOf(fork)
  if (rules.isProofOfStake) return 0n
  if (rules.hasConstantinopleReward) return 2n * ETHER
  return (rules.hasByzantiumReward ? 3n : 5n) * ETHER
}
