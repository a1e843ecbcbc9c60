import { expect, test } from 'vitest'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { PoolReplay } from './pool-replay.ts'

const [first, second, third] = [0n, 1n, 2n].map((nonce) => signTransfer({ nonce })) as [
  PoolTransaction,
  PoolTransaction,
  PoolTransaction,
]
const drop = ({ hash }: PoolTransaction): DroppedTransaction => ({ hash, reason: { code: 'EVICTED' } })

test('a recorded pool has what was added and not dropped, in order of arrival', () => {
  const replay = new PoolReplay([first], [drop(third)])

  replay.add([second])
  replay.drop([drop(first)])

  expect(replay.pooled).toEqual([second])
  expect(replay.dropped).toEqual([drop(third), drop(first)])
})

test('after an unwind it has the transactions of the newest record, which lists all', () => {
  const replay = new PoolReplay([first])
  replay.add([second, third])
  replay.drop([drop(third)])

  replay.unwind()

  expect(replay.pooled).toEqual([second, third])
})

test('after an unwind without any record it has the transactions with which it began', () => {
  const replay = new PoolReplay([first, second])
  replay.drop([drop(first)])

  replay.unwind()

  expect(replay.pooled).toEqual([first, second])
})
