import { describe, expect, test } from 'vitest'
import { debuggedCall, subjectOfRequest } from './debug-subject.ts'

const HASH = `0x${'AB'.repeat(32)}`
const CALL = { to: `0x${'12'.repeat(20)}`, data: '0x1234' }

describe('subjectOfRequest', () => {
  test.each(['eth_call', 'eth_estimateGas', 'eth_sendTransaction', 'debug_traceCall'])(
    'takes the call of %s, on the newest sealed block where the request names a tag',
    (method) => {
      expect(subjectOfRequest(method, [CALL, 'latest'])).toEqual({ kind: 'call', call: JSON.stringify(CALL) })
    },
  )

  test('keeps a block that does not change', () => {
    expect(subjectOfRequest('eth_call', [CALL, '0x1f'])).toMatchObject({ block: '0x1f' })
    expect(subjectOfRequest('eth_call', [CALL, 'earliest'])).toMatchObject({ block: '0x0' })
  })

  test('takes the transaction that a request names', () => {
    const subject = { kind: 'transaction', hash: HASH.toLowerCase() }
    expect(subjectOfRequest('eth_getTransactionReceipt', [HASH])).toEqual(subject)
    expect(subjectOfRequest('debug_traceTransaction', [HASH, {}])).toEqual(subject)
  })

  test('finds nothing in other requests, and in parameters of another shape', () => {
    expect(subjectOfRequest('eth_getBalance', [CALL.to, 'latest'])).toBeUndefined()
    expect(subjectOfRequest('eth_call', [])).toBeUndefined()
    expect(subjectOfRequest('eth_call', [[CALL]])).toBeUndefined()
    expect(subjectOfRequest('debug_traceTransaction', ['0x12'])).toBeUndefined()
  })
})

describe('debuggedCall', () => {
  test('refuses text that is no object, calls beyond the limit, and tags of blocks', () => {
    expect(debuggedCall('{"data":"0x00"}')).toEqual({ kind: 'call', call: '{"data":"0x00"}' })
    expect(['', '{', '[]', 'null', '1'].map((text) => debuggedCall(text))).toEqual(Array(5).fill(undefined))
    expect(debuggedCall(JSON.stringify({ data: '0'.repeat(100_000) }))).toBeUndefined()
    expect(debuggedCall('{}', 'latest')).toBeUndefined()
  })
})
