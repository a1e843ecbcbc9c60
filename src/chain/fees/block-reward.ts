import { type Fork, isActive } from '../forks/forks.ts'

const ETHER = 10n ** 18n

/**
 * Wei that a block creates for its miner, without uncles (EIP-649, EIP-1234).
 *
 * @returns 0 from Paris on (EIP-3675)
 */
export function blockReward(fork: Fork): bigint {
  if (isActive(fork, 'paris')) return 0n
  if (isActive(fork, 'constantinople')) return 2n * ETHER
  return (isActive(fork, 'byzantium') ? 3n : 5n) * ETHER
}
