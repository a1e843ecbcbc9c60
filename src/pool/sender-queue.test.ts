import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signTransfer } from '../../test/support/transfers.ts'
import {
  consecutive,
  entryAt,
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

function sumOf(entries: readonly PoolEntry[]): bigint {
  return entries.reduce((sum, { transaction }) => sum + maxCost(transaction), 0n)
}
