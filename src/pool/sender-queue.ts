import { blobGasOf } from '../chain/fees/blob-fee.ts'
import type { DropReason } from '../chain/transaction/drop-reason.ts'
import { maxFeePerGas, type PoolTransaction } from '../chain/transaction/transaction.ts'
import { authorizedNonces, nonceAfter } from './authorized-nonces.ts'
import type { PoolEntry, SenderState } from './types.ts'

/** Transactions of one sender in nonce order, with unique nonces not below the account's. Immutable. */
export interface SenderQueue {
  readonly state: SenderState
  readonly entries: readonly PoolEntry[]
  /** Total maximum cost in wei, cached since every new transaction is checked against it. */
  readonly cost: bigint
}

/** The entry of a transaction. @param arrival when it arrived, and what was found then */
export function poolEntry(
  transaction: PoolTransaction,
  arrival: Omit<PoolEntry, 'transaction' | 'authorized' | 'nextNonce'>,
): PoolEntry {
  const authorized = authorizedNonces(transaction)
  return { transaction, authorized, nextNonce: nonceAfter(transaction, authorized), ...arrival }
}

export function senderQueue(state: SenderState, entries: readonly PoolEntry[]): SenderQueue {
  return { state, entries, cost: costOf(entries) }
}

/** Total maximum cost in wei. */
function costOf(entries: readonly PoolEntry[]): bigint {
  let cost = 0n
  for (const entry of entries) cost += entryCost(entry)
  return cost
}

/**
 * Total maximum cost in wei of the sender's pending transactions, without the one with nonce `except`. Queued
 * transactions do not count, since they may never run.
 *
 * @param pending number of pending transactions
 */
export function pendingCost({ entries, cost }: SenderQueue, pending: number, except: bigint): bigint {
  const all = pending === entries.length ? cost : costOf(entries.slice(0, pending))
  const at = position(entries, except)
  const entry = at < pending ? entries[at] : undefined
  return entry?.transaction.nonce === except ? all - entryCost(entry) : all
}

/** Maximum cost of a transaction in wei: its gas and its blobs at their fee caps, and its value. */
export function maxCost(transaction: PoolTransaction): bigint {
  return transaction.gasLimit * maxFeePerGas(transaction) + transaction.value + maxBlobCost(transaction)
}

/** Maximum cost of a pool transaction in wei, with its data on layer 1. */
export function entryCost({ transaction, dataCost }: PoolEntry): bigint {
  const cost = maxCost(transaction)
  return dataCost === undefined ? cost : cost + dataCost
}

function maxBlobCost(transaction: PoolTransaction): bigint {
  if (transaction.type !== 3) return 0n
  return BigInt(blobGasOf(transaction)) * transaction.maxFeePerBlobGas
}

/** Index of the first entry whose nonce is not below `nonce`. */
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

/** Inserts an entry, which replaces one with the same nonce. */
export function withEntry(queue: SenderQueue | undefined, entry: PoolEntry, state: SenderState): SenderQueue {
  if (queue === undefined) return { state, entries: [entry], cost: entryCost(entry) }
  const { entries, cost } = queue
  const at = position(entries, entry.transaction.nonce)
  const replaced = entryAt(entries, entry.transaction.nonce)
  const freed = replaced === undefined ? 0n : entryCost(replaced)
  return {
    state,
    entries: entries.toSpliced(at, replaced === undefined ? 0 : 1, entry),
    cost: cost - freed + entryCost(entry),
  }
}

/** Number of entries that can be executed in order from `nonce` on: without a nonce that none of them uses. */
export function consecutive(entries: readonly PoolEntry[], nonce: bigint): number {
  const first = position(entries, nonce)
  let end = first
  let expected: bigint | undefined = nonce
  while (expected !== undefined) {
    const count = consecutiveNonces(entries, end, expected)
    if (count === 0) break
    end += count
    // A transaction uses further nonces by authorizations of its sender.
    expected = entries[end - 1]!.nextNonce
  }
  return end - first
}

/** The nonce after the entries that can be executed in order from `nonce` on. */
export function nonceAfterAll(entries: readonly PoolEntry[], nonce: bigint): bigint {
  const count = consecutive(entries, nonce)
  return count === 0 ? nonce : entries[position(entries, nonce) + count - 1]!.nextNonce
}

/** Entries of a sender that can be executed only after a transaction. */
export function dependentsOf(entries: readonly PoolEntry[], { nonce }: PoolTransaction): readonly PoolEntry[] {
  const first = position(entries, nonce)
  return entries.slice(first + 1, first + consecutive(entries, nonce))
}

/** Whether an earlier transaction of the sender uses a nonce by an authorization of its own (EIP-7702). */
export function isUsedBefore(queue: SenderQueue | undefined, nonce: bigint): boolean {
  if (queue === undefined) return false
  const before = queue.entries[position(queue.entries, nonce) - 1]
  return before !== undefined && before.nextNonce > nonce
}

/** Number of entries from the index `first` on whose nonces increase by one, beginning with `nonce`. */
function consecutiveNonces(entries: readonly PoolEntry[], first: number, nonce: bigint): number {
  const last = entries.at(-1)
  if (last === undefined || first === entries.length) return 0
  // Nonces are unique: if there are as many entries as nonces, none is missing.
  const count = entries.length - first
  if (last.transaction.nonce === nonce + BigInt(count - 1)) return count
  // After a gap, the nonce differs from the first one by more than the index.
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (entries[first + middle]!.transaction.nonce === nonce + BigInt(middle)) low = middle + 1
    else high = middle
  }
  return low
}

export interface ReconciledQueue {
  readonly queue: SenderQueue
  readonly dropped: readonly { readonly entry: PoolEntry; readonly reason: DropReason }[]
}

/** The queue after a change of the sender's account: without used nonces, and without entries it cannot pay for. */
export function reconcileQueue(queue: SenderQueue, state: SenderState): ReconciledQueue {
  const entries: PoolEntry[] = []
  const dropped: { entry: PoolEntry; reason: DropReason }[] = []
  let left = queue.cost
  for (const entry of queue.entries) {
    const cost = entryCost(entry)
    const isUsed = entry.transaction.nonce < state.nonce
    if (!isUsed && cost <= state.balance) {
      entries.push(entry)
      continue
    }
    dropped.push({ entry, reason: { code: isUsed ? 'NONCE_USED' : 'INSUFFICIENT_FUNDS' } })
    left -= cost
  }
  return { queue: { state, entries, cost: left }, dropped }
}
