import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signTransfer } from '../../test/support/transfers.ts'
import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import {
  consecutive,
  dependentsOf,
  entryAt,
  entryCost,
  maxCost,
  pendingCost,
  poolEntry,
  reconcileQueue,
  type SenderQueue,
  senderQueue,
  withEntry,
} from './sender-queue.ts'
import type { PoolEntry, SenderState } from './types.ts'

const STATE: SenderState = { nonce: 2n, balance: 10n ** 22n, code: 'none' }

/** Nonce and value of one sender's transactions, from the account's nonce on. */
const sends = fc.array(fc.tuple(fc.bigInt(2n, 12n), fc.bigInt(0n, 3n)), { maxLength: 12 })

function entryOf([nonce, value]: readonly [bigint, bigint], arrival: number): PoolEntry {
  return poolEntry(signTransfer({ nonce, value }), { arrival, arrivedAt: 0 })
}

function queueOf(list: readonly (readonly [bigint, bigint])[]): SenderQueue {
  let queue = senderQueue(STATE, [])
  for (const [index, send] of list.entries()) queue = withEntry(queue, entryOf(send, index), STATE)
  return queue
}

test('property: entries are ordered by nonce, and the newest entry of a nonce wins', () => {
  fc.assert(
    fc.property(sends, (list) => {
      const newest = new Map(list.map((send, index) => [send[0], index]))
      const { entries } = queueOf(list)
      const wanted = [...newest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, index]) => index)
      expect(entries.map(({ arrival }) => arrival)).toEqual(wanted)
    }),
  )
})

test('property: consecutive() counts entries up to the first nonce gap', () => {
  fc.assert(
    fc.property(sends, fc.bigInt(0n, 14n), (list, nonce) => {
      const { entries } = queueOf(list)
      let count = 0
      while (entryAt(entries, nonce + BigInt(count)) !== undefined) count += 1
      expect(consecutive(entries, nonce)).toBe(count)
    }),
  )
})

test('property: costs are the sums of the entries, after any insertions and removals', () => {
  fc.assert(
    fc.property(sends, fc.bigInt(2n, 8n), fc.bigInt(2n, 13n), (list, used, except) => {
      const reconciled = reconcileQueue(queueOf(list), { ...STATE, nonce: used }).queue
      for (const queue of [queueOf(list), reconciled]) {
        const { entries, state, cost } = queue
        expect(cost).toBe(sumOf(entries))
        const pending = consecutive(entries, state.nonce)
        const besides = entries.slice(0, pending).filter(({ transaction }) => transaction.nonce !== except)
        expect(pendingCost(queue, pending, except)).toBe(sumOf(besides))
      }
    }),
  )
})

test('a transaction costs at most its gas and blobs at their fee caps, its value, and its data', () => {
  const transfer = { ...signTransfer({ nonce: 2n, value: 7n }), gasLimit: 21_000n, maxFeePerGas: 10n }
  const blobs = { ...transfer, type: 3, maxFeePerBlobGas: 5n, blobVersionedHashes: ['0x01', '0x02'] }
  const arrival = { arrival: 0, arrivedAt: 0 }

  expect(maxCost(transfer as PoolTransaction)).toBe(210_007n)
  expect(maxCost(blobs as unknown as PoolTransaction)).toBe(210_007n + 2n * 131_072n * 5n)
  expect(entryCost(poolEntry(transfer as PoolTransaction, { ...arrival, dataCost: 100n }))).toBe(210_107n)
})

test('the dependents of a transaction follow it without a nonce gap', () => {
  const { entries } = queueOf([2n, 3n, 4n, 6n].map((nonce) => [nonce, 0n] as const))

  expect(dependentsOf(entries, entries[0]!.transaction).map(({ transaction }) => transaction.nonce)).toEqual([3n, 4n])
  expect(dependentsOf(entries, entries[3]!.transaction)).toEqual([])
})

test('a change of the account drops used nonces and what it cannot pay for, each with its reason', () => {
  const queue = queueOf([2n, 3n, 4n].map((nonce) => [nonce, nonce === 4n ? 3n : 0n] as const))
  const cost = entryCost(queue.entries[1]!)

  const { queue: left, dropped } = reconcileQueue(queue, { ...STATE, nonce: 3n, balance: cost })

  expect(left.entries.map(({ transaction }) => transaction.nonce)).toEqual([3n])
  expect(left.cost).toBe(cost)
  expect(dropped.map(({ entry, reason }) => [entry.transaction.nonce, reason.code])).toEqual([
    [2n, 'NONCE_USED'],
    [4n, 'INSUFFICIENT_FUNDS'],
  ])
})

function sumOf(entries: readonly PoolEntry[]): bigint {
  return entries.reduce((sum, { transaction }) => sum + maxCost(transaction), 0n)
}
