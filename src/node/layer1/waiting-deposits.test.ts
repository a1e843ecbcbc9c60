import { expect, test } from 'vitest'
import type { UserDeposit } from '../../chain/system-transactions/user-deposit.ts'
import { EMPTY_BYTES, toAddress, ZERO_HASH } from '../../primitives/hex.ts'
import { WaitingDeposits } from './waiting-deposits.ts'

const ADDRESS = toAddress(`0x${'d0'.repeat(20)}`)
const ROOM = 1_000_000n
const STOPPED = { kind: 'refused', refusal: { code: 'NODE_STOPPED' } }

function depositOf(gasLimit: bigint): UserDeposit {
  return { from: ADDRESS, to: ADDRESS, mint: 0n, value: 0n, gasLimit, data: EMPTY_BYTES }
}

/** One deposit in the block that is being opened, and one that it has no room for, when the node halts. */
function haltedWhileOpening() {
  const deposits = new WaitingDeposits()
  const opened = deposits.add(depositOf(ROOM))
  const waiting = deposits.add(depositOf(21_000n))
  const transactions = deposits.transactionsIn({ hash: ZERO_HASH, sequenceNumber: 0n }, ROOM)
  deposits.halt()
  return { deposits, opened, waiting, transactions }
}

test('acknowledges a deposit whose block becomes durable after the halt, and refuses those in no block', async () => {
  const { deposits, opened, waiting, transactions } = haltedWhileOpening()

  deposits.announced(transactions)
  deposits.stop()

  expect(await opened).toEqual({ kind: 'included', hash: transactions[0]!.hash })
  expect(await waiting).toEqual(STOPPED)
})

test('refuses a deposit whose block has not become durable when the node has stopped', async () => {
  const { deposits, opened } = haltedWhileOpening()

  deposits.stop()

  expect(await opened).toEqual(STOPPED)
})

test('refuses deposits after the halt', async () => {
  const { deposits } = haltedWhileOpening()

  expect(await deposits.add(depositOf(21_000n))).toEqual(STOPPED)
})
