import { describe, expect, test } from 'vitest'
import type { FlashblockArrival } from './flashblock-arrival.ts'
import { SentToVisible, visibilityNow, visibilitySeries } from './sent-to-visible.ts'

/** A flashblock of block 7 with transactions. */
function arrival(hashes: readonly string[], arrivedAt: number, isSealed = false): FlashblockArrival {
  return {
    payloadId: 'p',
    index: 3,
    blockNumber: 7,
    blockHash: '0xb',
    gasUsed: 0n,
    transactionCount: hashes.length,
    transactions: hashes.map((hash) => ({ hash, to: undefined, value: 0n, selector: '' })),
    base: undefined,
    isSealed,
    arrivedAt,
  }
}

describe('SentToVisible', () => {
  test('measures from sending a transaction to its flashblock', () => {
    const visibility = new SentToVisible()
    visibility.sent('0xa', 1_000)
    visibility.sent('0xb', 1_100)
    expect(visibility.arrived(arrival(['0xb', '0xa', '0xc'], 1_210)).recent).toEqual([
      { hash: '0xb', blockNumber: 7, flashblock: 3, visibleAt: 1_210, milliseconds: 110 },
      { hash: '0xa', blockNumber: 7, flashblock: 3, visibleAt: 1_210, milliseconds: 210 },
    ])
  })

  test('counts from the earliest time, even if it becomes known after the flashblock', () => {
    const visibility = new SentToVisible()
    visibility.sent('0xa', 1_050)
    visibility.sent('0xa', 1_060)
    visibility.arrived(arrival(['0xa'], 1_200))
    expect(visibility.value.recent[0]!.milliseconds).toBe(150)

    visibility.sent('0xa', 1_010)
    expect(visibility.value.recent).toMatchObject([{ hash: '0xa', milliseconds: 190 }])
  })

  test('names no flashblock where whole blocks make transactions visible', () => {
    const visibility = new SentToVisible()
    visibility.sent('0xa', 0)
    expect(visibility.arrived(arrival(['0xa'], 90, true)).recent).toMatchObject([{ flashblock: undefined }])
  })

  test('has a point for each second, from the ten seconds before it', () => {
    const visibility = new SentToVisible()
    for (const [index, milliseconds] of [30, 10, 20].entries()) {
      visibility.sent(`0x${index}`, 2_000 + index * 1_000)
      visibility.arrived(arrival([`0x${index}`], 2_000 + index * 1_000 + milliseconds))
    }
    expect(visibility.value.points).toEqual([
      { at: 2_000, p50: 30, p99: 30 },
      { at: 3_000, p50: 10, p99: 30 },
      { at: 4_000, p50: 20, p99: 30 },
    ])
    expect(visibility.arrived(arrival([], 15_000)).points.at(-1)).toEqual({
      at: 15_000,
      p50: undefined,
      p99: undefined,
    })
    expect(visibilityNow(visibility.value)).toEqual({ p50: undefined, p99: undefined })
  })

  test('forgets invisible transactions with the connection', () => {
    const visibility = new SentToVisible()
    visibility.sent('0xa', 0)
    visibility.lost()
    expect(visibility.arrived(arrival(['0xa'], 90)).recent).toEqual([])
  })

  test('is bounded over many transactions', () => {
    const visibility = new SentToVisible()
    for (let index = 0; index < 25_000; index += 1) visibility.sent(`0x${index}`, 0)
    expect(visibility.arrived(arrival(['0x0', '0x24999'], 10)).recent.map(({ hash }) => hash)).toEqual(['0x24999'])
    const hashes = Array.from({ length: 6_000 }, (_, index) => `0x${index + 10_000}`)
    expect(visibility.arrived(arrival(hashes, 20)).recent).toHaveLength(4_000)
    for (let second = 1; second < 500; second += 1) visibility.arrived(arrival([], second * 1_000))
    expect(visibility.value.points).toHaveLength(180)
  })
})

test('visibilitySeries begins three minutes before its last point', () => {
  const points = [
    { at: 900_000, p50: 90, p99: 200 },
    { at: 901_000, p50: undefined, p99: undefined },
  ]
  expect(visibilitySeries(points)).toEqual([
    [722, 900, 901],
    [null, 90, null],
    [null, 200, null],
  ])
  expect(visibilitySeries([])).toEqual([[], [], []])
})
