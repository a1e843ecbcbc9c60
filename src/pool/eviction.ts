import { tipAt } from './candidates.ts'
import { consecutive, type SenderQueue } from './sender-queue.ts'
import type { PoolEntry } from './types.ts'

/** Below any tip: what waits behind a nonce gap goes first. */
const QUEUED = -(2n ** 256n)

/** Eviction priority of an entry at this base fee (wei per gas): its tip, or zero while it is queued. */
export function worth(entry: PoolEntry, isQueued: boolean, baseFee: bigint): bigint {
  return isQueued ? QUEUED : tipAt(entry.transaction, baseFee)
}

/**
 * The last transactions of all senders, the least worth first. Only a sender's last one can leave without making a gap.
 * Made in one pass and consumed from the front: the caller checks that an entry is still in the pool.
 */
export function evictionOrder(queues: Iterable<SenderQueue>, baseFee: bigint): PoolEntry[] {
  const tails = Array.from(queues, ({ entries, state }) => {
    const entry = entries.at(-1)!
    const isQueued = consecutive(entries, state.nonce) < entries.length
    return { entry, worth: worth(entry, isQueued, baseFee) }
  })
  // From the back it is taken.
  return tails.sort((a, b) => (a.worth < b.worth ? 1 : a.worth > b.worth ? -1 : 0)).map(({ entry }) => entry)
}
