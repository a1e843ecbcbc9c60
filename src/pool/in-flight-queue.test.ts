import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signTransfer } from '../../test/support/transfers.ts'
import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import { InFlightQueue } from './in-flight-queue.ts'
import { maxCost, poolEntry, reconcileQueue, type SenderQueue, withEntry } from './sender-queue.ts'
import type { SenderState } from './types.ts'

const transactions = Array.from({ length: 4 }, (_, nonce) =>
  [1n, 2n].map((value) => signTransfer({ nonce: BigInt(nonce), value })),
)

function stateAt(nonce: bigint): SenderState {
  return { nonce, balance: 10n ** 22n, code: 'none' }
}

function added(queue: SenderQueue | undefined, transaction: PoolTransaction, state: SenderState): SenderQueue {
  return withEntry(queue, poolEntry(transaction, { arrival: 0, arrivedAt: 0 }), state)
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('arrives', 'arrives', 'is in the pool', 'fails', 'is used'),
    nonce: fc.integer({ min: 0, max: 3 }),
    which: fc.integer({ min: 0, max: 1 }),
  }),
)

test('property: the expected queue contains pooled and in-flight transactions', () => {
  fc.assert(
    fc.property(steps, (list) => {
      let state = stateAt(0n)
      const inFlight = new InFlightQueue()
      const present = new Map<bigint, PoolTransaction>()
      let pooled: SenderQueue | undefined
      for (const { kind, nonce, which } of list) {
        const transaction = transactions[nonce]![which]!
        const here = present.get(transaction.nonce)
        if (kind === 'arrives' && here === undefined && transaction.nonce >= state.nonce) {
          present.set(transaction.nonce, transaction)
          inFlight.add(transaction, state)
        } else if (kind === 'is in the pool' && here !== undefined) {
          present.delete(here.nonce)
          inFlight.delete(here)
          pooled = added(pooled, here, state)
        } else if (kind === 'fails' && here !== undefined) {
          present.delete(here.nonce)
          inFlight.delete(here)
        } else if (kind === 'is used' && state.nonce === transaction.nonce) {
          state = stateAt(state.nonce + 1n)
          pooled = pooled && reconcileQueue(pooled, state).queue
        }
        let expected = pooled
        for (const one of present.values()) if (one.nonce >= state.nonce) expected = added(expected, one, state)
        const queue = inFlight.expected(pooled, state)
        const hashes = (one: SenderQueue | undefined) => one?.entries.map((entry) => entry.transaction.hash)
        expect(hashes(queue)).toEqual(hashes(expected))
        expect(queue?.cost).toBe(expected?.cost)
        expect(inFlight.size).toBe(present.size)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('excludes in-flight transactions whose nonce the account has used', () => {
  const inFlight = new InFlightQueue()
  const [first, second] = [transactions[0]![0]!, transactions[1]![0]!]
  for (const transaction of [first, second]) inFlight.add(transaction, stateAt(0n))
  expect(inFlight.expected(undefined, stateAt(0n))?.entries).toHaveLength(2)
  const queue = inFlight.expected(undefined, stateAt(1n))
  expect(queue?.entries.map(({ transaction }) => transaction)).toEqual([second])
  expect(queue?.cost).toBe(maxCost(second))
})
