import { expect, test } from 'vitest'
import { signTransfer } from '../../test/support/transfers.ts'
import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import { Candidates, type PoolOrder } from './candidates.ts'
import { poolEntry, senderQueue } from './sender-queue.ts'

const GWEI = 10n ** 9n
const transfer = (from: number, nonce: bigint, tip: bigint) =>
  signTransfer({ from, nonce, maxPriorityFeePerGas: tip * GWEI, maxFeePerGas: 20n * GWEI })
/** In order of arrival: a cheap transaction, a dear one behind another of its sender, and one in between. */
const ARRIVALS = [transfer(0, 0n, 1n), transfer(1, 0n, 2n), transfer(1, 1n, 9n), transfer(2, 0n, 5n)]

function ordered(order: PoolOrder): readonly PoolTransaction[] {
  const queues = [...new Set(ARRIVALS.map(({ from }) => from))].map((sender) => {
    const entries = ARRIVALS.flatMap((transaction, arrival) =>
      transaction.from === sender ? [poolEntry(transaction, { arrival, arrivedAt: 0 })] : [],
    )
    return senderQueue({ nonce: 0n, balance: 10n ** 24n, code: 'none' }, entries)
  })
  const candidates = new Candidates(queues, GWEI, { order })
  const taken: PoolTransaction[] = []
  for (let next = candidates.peek(); next !== undefined; next = candidates.peek()) {
    taken.push(next)
    candidates.accept()
  }
  return taken
}

test.each<[PoolOrder, string, readonly number[]]>([
  ['fees', 'by tip, and by nonce within a sender', [3, 1, 2, 0]],
  ['fifo', 'as they arrived, and by nonce within a sender', [0, 1, 2, 3]],
])('order %s takes transactions %s', (order, _, expected) => {
  expect(ordered(order)).toEqual(expected.map((index) => ARRIVALS[index]))
})
