import { expect, test } from 'vitest'
import { kindOfCall, LongCalls } from './long-calls.ts'

test('knows calls by method, contract and selector', () => {
  const to = `0x${'ca'.repeat(20)}`
  const kind = kindOfCall('eth_call', [{ to, data: '0x70a0823100' }, 'latest'])
  expect(kindOfCall('eth_call', [{ to, input: '0x70a08231ff' }])).toBe(kind)
  expect(kindOfCall('eth_call', [{ to, data: '0x18160ddd' }])).not.toBe(kind)
  expect(kindOfCall('eth_estimateGas', [{ to, data: '0x70a0823100' }])).not.toBe(kind)
  expect(kindOfCall('eth_call', [{ to }])).toBeDefined()
})

test.each([[[]], [[null]], [['0x1234']], [[{ data: '0x6000' }]], [[{ to: 'x'.repeat(10_000) }]]])(
  'knows no kind of parameters %#',
  (params) => {
    expect(kindOfCall('eth_call', params)).toBeUndefined()
  },
)

test('forgets the oldest kinds', () => {
  const calls = new LongCalls()
  for (let index = 0; index < 1_000; index++) calls.add(`call ${index}`)
  expect(calls.has('call 999')).toBe(true)
  expect(calls.has('call 0')).toBe(false)

  calls.delete('call 999')
  expect(calls.has('call 999')).toBe(false)
})

test('a kind that is added again is forgotten last', () => {
  const calls = new LongCalls()
  calls.add('often')
  for (let index = 0; index < 255; index++) calls.add(`call ${index}`)
  calls.add('often')
  calls.add('one more')

  expect(calls.has('often')).toBe(true)
  expect(calls.has('call 0')).toBe(false)
})
