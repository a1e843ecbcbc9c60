import { GAS_PER_BLOB } from '../chain/constants.ts'
import type { DropReason } from '../chain/drop-reason.ts'
import { maxFeePerGas, type PoolTransaction } from '../chain/transaction.ts'
import type { PoolEntry, SenderState } from './types.ts'

/** One sender's waiting transactions in nonce order, no nonce twice, none below the account's. Immutable. */
export interface SenderQueue {
  readonly state: SenderState
  readonly entries: readonly PoolEntry[]
}

/** Wei that a transaction can cost at most: its gas and its blobs at their fee caps, and its value. */
export function maxCost(transaction: PoolTransaction): bigint {
  return transaction.gasLimit * maxFeePerGas(transaction) + transaction.value + maxBlobCost(transaction)
}

function maxBlobCost(transaction: PoolTransaction): bigint {
  if (transaction.type !== 3) return 0n
  return BigInt(transaction.blobVersionedHashes.length * GAS_PER_BLOB) * transaction.maxFeePerBlobGas
}

/** Position of the first entry whose nonce is not below `nonce`. */
export function position(entries: readonly PoolEntry[], nonce: bigint): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (entries[middle]!.transaction.nonce < nonce) low = middle + 1
    else high = middle
  }
  return low
}

/** The entry with exactly this nonce. */
export function entryAt(entries: readonly PoolEntry[], nonce: bigint): PoolEntry | undefined {
  const entry = entries[position(entries, nonce)]
  return entry?.transaction.nonce === nonce ? entry : undefined
}

/** With `entry` in its place; one of the same nonce gives way. */
export function withEntry(entries: readonly PoolEntry[], entry: PoolEntry): readonly PoolEntry[] {
  const at = position(entries, entry.transaction.nonce)
  const replaces = entries[at]?.transaction.nonce === entry.transaction.nonce
  return [...entries.slice(0, at), entry, ...entries.slice(replaces ? at + 1 : at)]
}

/** How many entries follow each other without a gap from `nonce` on. */
export function consecutive(entries: readonly PoolEntry[], nonce: bigint): number {
  const first = position(entries, nonce)
  let count = 0
  while (entries[first + count]?.transaction.nonce === nonce + BigInt(count)) count += 1
  return count
}

export interface ReconciledQueue {
  readonly queue: SenderQueue
  readonly dropped: readonly { readonly entry: PoolEntry; readonly reason: DropReason }[]
}

/** What is left of a queue when the sender's account has changed: no used nonces, nothing it cannot pay for alone. */
export function reconcileQueue(queue: SenderQueue, state: SenderState): ReconciledQueue {
  const entries: PoolEntry[] = []
  const dropped: { entry: PoolEntry; reason: DropReason }[] = []
  for (const entry of queue.entries) {
    if (entry.transaction.nonce < state.nonce) dropped.push({ entry, reason: { code: 'NONCE_USED' } })
    else if (maxCost(entry.transaction) > state.balance) dropped.push({ entry, reason: { code: 'INSUFFICIENT_FUNDS' } })
    else entries.push(entry)
  }
  return { queue: { state, entries }, dropped }
}
