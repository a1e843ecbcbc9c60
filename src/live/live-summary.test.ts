import { expect, test } from 'vitest'
import { busiestGas, liveSummary, liveTransactions, slotFill, slotPlaces } from './live-summary.ts'
import { EMPTY_TIMELINE, type Timeline, type TimelineBlock, type TimelineSlot } from './timeline.ts'

const slot = (index: number, more: Partial<TimelineSlot> = {}): TimelineSlot => ({
  index,
  hash: '0xh',
  arrivedAt: index * 200,
  transactionCount: 4,
  gasUsed: 100n,
  latenessMs: index,
  transactions: [{ hash: `0x${index}`, to: undefined, value: 0n, selector: '' }],
  ...more,
})
const block = (slots: readonly TimelineSlot[]): TimelineBlock => ({
  number: 7,
  hash: '0xh',
  parentHash: '0xp',
  payloadId: 'p',
  timestamp: 0n,
  gasLimit: 10_000n,
  gasUsed: 0n,
  transactionCount: 0,
  slots,
  isPartial: false,
  isSealed: false,
  sealedAt: undefined,
})
const timeline: Timeline = {
  ...EMPTY_TIMELINE,
  open: block(Array.from({ length: 11 }, (_, index) => slot(index))),
  latenesses: Array.from({ length: 100 }, (_, index) => ({ at: 1_000 + index * 10, latenessMs: index + 1 })),
}

test('rates count what arrived within the span', () => {
  expect(liveSummary(timeline)).toMatchObject({
    transactionsPerSecond: 20,
    gasPerSecond: 500,
    latenessP50: 50,
    latenessP99: 99,
  })
})

test('there are no rates at the beginning', () => {
  expect(liveSummary(EMPTY_TIMELINE)).toEqual({})
  expect(liveSummary({ ...EMPTY_TIMELINE, open: block([slot(0), slot(1)]) }).transactionsPerSecond).toBeUndefined()
})

test('transactions come newest first, with their slot', () => {
  const [newest, next] = liveTransactions(timeline)
  expect([newest, next]).toMatchObject([
    { hash: '0x10', blockNumber: 7, flashblock: 10 },
    { hash: '0x9', flashblock: 9 },
  ])
})

test('slots that have not arrived keep their places', () => {
  const places = slotPlaces(block([slot(0), slot(2)]), 4)
  expect(places.map((place) => place?.index)).toEqual([0, undefined, 2, undefined])
  expect(slotPlaces(block([slot(12)]), 4)).toHaveLength(13)
})

test('a bar is measured against the busiest slot, and little gas is still visible', () => {
  const busiest = busiestGas({ ...timeline, sealed: [block([slot(0, { gasUsed: 1_000n })])] })
  const fill = (gasUsed: bigint) => slotFill(slot(0, { gasUsed }), busiest)
  expect([fill(0n), fill(1n), fill(500n), fill(1_000n)]).toEqual([0, 6, 50, 100])
  expect(fill(10n * busiest)).toBe(100)
  expect(slotFill(undefined, busiest)).toBe(0)
  expect(busiestGas(EMPTY_TIMELINE)).toBe(0n)
})
