import { expect, test } from 'vitest'
import { addressFrom, snapshotList, upstreamOf, weiFromEther, wholeNumberFrom } from './control.ts'

test('snapshots are listed newest first', () => {
  const snapshots = { '0x0': [2, '0xa'], '0xa': [30, '0xb'], '0x9': [7, '0xc'] }
  expect(snapshotList({ snapshots }).map(({ id, blockNumber }) => [id, blockNumber])).toEqual([
    ['0xa', 30],
    ['0x9', 7],
    ['0x0', 2],
  ])
  expect([snapshotList(null), snapshotList({ snapshots: 5 })]).toEqual([[], []])
})

test('only a fork has an upstream', () => {
  expect(upstreamOf({ forkConfig: { forkUrl: null } })).toBeUndefined()
  expect(upstreamOf({ forkConfig: { forkUrl: 'http://a', forkBlockNumber: 5 } })).toEqual({
    url: 'http://a',
    blockNumber: 5,
  })
})

test('amounts of ether are exact to the last wei', () => {
  expect([weiFromEther('1.000000000000000001'), weiFromEther(' 10,000 ')]).toEqual([10n ** 18n + 1n, 10n ** 22n])
  for (const wrong of ['', '-1', '1e3', '0.0000000000000000001']) {
    expect(() => weiFromEther(wrong)).toThrow('as in 1.5')
  }
})

test('addresses and numbers say what to write', () => {
  expect(addressFrom(` 0x${'AB'.repeat(20)}`)).toBe(`0x${'ab'.repeat(20)}`)
  expect(() => addressFrom('0x12')).toThrow('40 hex digits')
  expect(wholeNumberFrom('5', { name: 'blocks', min: 1, max: 10 })).toBe(5)
  for (const wrong of ['0', '11', '1.5', '']) {
    expect(() => wholeNumberFrom(wrong, { name: 'blocks', min: 1, max: 10 })).toThrow(
      'blocks as a whole number from 1 to 10',
    )
  }
})
