import { expect, test } from 'vitest'
import { EMPTY_BYTES, toAddress } from '../../primitives/hex.ts'
import { encodeExecute } from '../../rpc/wallet/batch-executor.ts'
import { batchedCalls } from './execution-watcher.ts'

const ACCOUNT = toAddress(`0x${'aa'.repeat(20)}`)
const OTHER = toAddress(`0x${'bb'.repeat(20)}`)
const CALLS = [
  { to: OTHER, value: 5n, data: new Uint8Array([1, 2, 3, 4]) },
  { to: ACCOUNT, value: 0n, data: EMPTY_BYTES },
]
const DATA = encodeExecute(CALLS)

test('reads the calls of a batch of the sender', () => {
  const calls = batchedCalls({ from: ACCOUNT, to: ACCOUNT, data: DATA })

  expect(calls?.map(({ data, ...call }) => ({ ...call, data: [...data] }))).toEqual(
    CALLS.map(({ data, ...call }) => ({ ...call, data: [...data] })),
  )
})

test.each([
  ['to another account', OTHER, DATA],
  ['that creates a contract', null, DATA],
  ['with another function', ACCOUNT, new Uint8Array([1, ...DATA.subarray(1)])],
  ['with truncated arguments', ACCOUNT, DATA.subarray(0, 100)],
  ['without calldata', ACCOUNT, EMPTY_BYTES],
])('takes a transaction %s for no batch', (_, to, data) => {
  expect(batchedCalls({ from: ACCOUNT, to, data })).toBeUndefined()
})
