import type { NetworkOptions } from '../../src/chain/genesis/networks.ts'

/**
 * The chain of the contract suite: that of the profile `flashblocks` or, in the vitest project `system transactions`,
 * of `op`, whose blocks begin with system transactions. Tests that start this chain run in both.
 */
const hasSystemTransactions = process.env.CONTRACT_PROFILE === 'op'

export const CONTRACT_NETWORK: NetworkOptions = hasSystemTransactions ? { upgrade: 'jovian' } : {}

/** System transactions at the beginning of each block. */
export const SYSTEM_TRANSACTIONS = hasSystemTransactions ? 1 : 0

/** The transactions or receipts of a block without those of the system. */
export function ofUsers<T>(items: readonly T[]): T[] {
  return items.slice(SYSTEM_TRANSACTIONS)
}
