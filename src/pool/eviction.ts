import { tipAt } from './candidates.ts'
import { consecutive, type SenderQueue } from './sender-queue.ts'
import type { PoolEntry } from './types.ts'

/** Below any tip: queued transactions are evicted first. */
const QUEUED = -(2n ** 256n)

/** Eviction priority of an entry at this base fee (wei per gas): its tip, or less than any tip while it is queued. */
export function worth(entry: PoolEntry, isQueued: boolean, baseFee: bigint): bigint {
  return isQueued ? QUEUED : tipAt(entry.transaction, baseFee)
}

/**
 * The last transaction of each sender, the cheapest last, so that the caller can pop it. Removing any other transaction
 * would create a nonce gap. Computed in one pass: the caller checks that an entry is still in the pool.
 */
export function evictionOrder(queues: Iterable<SenderQueue>, baseFee: bigint): PoolEntry[] {
  const tails = Array.from(queues, ({ entries, state }) => {
    const entry = entries.at(-1)!
    const isQueued = consecutive(entries, state.nonce) < entries.length
    return { entry, worth: worth(entry, isQueued, baseFee) }
  })
  return tails.sort((a, b) => (a.worth < b.worth ? 1 : a.worth > b.worth ? -1 : 0)).map(({ entry }) => entry)
}
