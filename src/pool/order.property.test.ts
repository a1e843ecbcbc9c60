import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signTransfer } from '../../test/support/transfers.ts'
import type { Address } from '../primitives/hex.ts'
import { Candidates } from './candidates.ts'
import { evictionOrder } from './eviction.ts'
import { poolEntry, senderQueue } from './sender-queue.ts'
import type { PoolEntry } from './types.ts'

const STATE = { nonce: 1n, balance: 10n ** 24n, code: 'none' } as const

/** One transaction of each of many senders, with unique arrivals. */
const senders = fc
  .array(fc.bigInt(0n, 20n), { minLength: 1, maxLength: 40 })
  .map((tips) => tips.map((tip, index) => entryOf({ tip, index })))

function entryOf({ tip, index }: { readonly tip: bigint; readonly index: number }): PoolEntry {
  const from = `0x${index.toString(16).padStart(40, '0')}` as Address
  const signed = SIGNED.get(tip)!
  return poolEntry({ ...signed, from }, { arrival: (index * 7) % 41, arrivedAt: 0 })
}

const SIGNED = new Map(
  Array.from({ length: 21 }, (_, tip) => [
    BigInt(tip),
    signTransfer({ nonce: 1n, maxFeePerGas: 1_000n, maxPriorityFeePerGas: BigInt(tip) }),
  ]),
)

const tipOf = ({ transaction }: PoolEntry) =>
  'maxPriorityFeePerGas' in transaction ? transaction.maxPriorityFeePerGas : 0n
const byTip = (a: PoolEntry, b: PoolEntry) => Number(tipOf(b) - tipOf(a)) || a.arrival - b.arrival
const byArrival = (a: PoolEntry, b: PoolEntry) => a.arrival - b.arrival

test.each([
  ['fees', byTip],
  ['fifo', byArrival],
] as const)('property: candidates in order %s come sorted, whichever are accepted and skipped', (order, compare) => {
  fc.assert(
    fc.property(senders, fc.array(fc.boolean()), (entries, accepts) => {
      const candidates = new Candidates(
        entries.map((entry) => senderQueue(STATE, [entry])),
        0n,
        { order },
      )
      const taken = entries.map((_, index) => {
        const next = candidates.peek()
        if (accepts[index]) candidates.accept()
        else candidates.skipSender()
        return next?.from
      })

      expect(taken).toEqual(entries.toSorted(compare).map(({ transaction }) => transaction.from))
      expect(candidates.peek()).toBeUndefined()
      candidates.accept()
      candidates.skipSender()
      expect(candidates.peek()).toBeUndefined()
    }),
  )
})

test('a skipped sender offers no later transaction, an accepted one its next', () => {
  const queueOf = (from: number) =>
    senderQueue(
      STATE,
      [1n, 2n].map((nonce, arrival) =>
        poolEntry(signTransfer({ from, nonce }), { arrival: 10 * from + arrival, arrivedAt: 0 }),
      ),
    )
  const candidates = new Candidates([queueOf(0), queueOf(1)], 0n)

  candidates.skipSender()
  candidates.accept()

  expect(candidates.peek()).toMatchObject({ from: signTransfer({ from: 1, nonce: 0n }).from, nonce: 2n })
})

test('property: the eviction order has the cheapest transaction last, and queued ones after all others', () => {
  fc.assert(
    fc.property(senders, fc.integer({ min: 0, max: 40 }), (entries, queued) => {
      const queues = entries.map((entry, index) =>
        senderQueue(index < queued ? { ...STATE, nonce: 0n } : STATE, [entry]),
      )

      const worths = evictionOrder(queues, 0n).map((entry) => (entries.indexOf(entry) < queued ? -1n : tipOf(entry)))

      expect(worths).toEqual(worths.toSorted((a, b) => Number(b - a)))
      expect(worths).toHaveLength(entries.length)
    }),
  )
})
