import { describe, expect, test } from 'vitest'
import type { FlashblockArrival } from './flashblock-arrival.ts'
import { EMPTY_TIMELINE, MAX_SEALED, nextTimeline, type Timeline } from './timeline.ts'

/** An arrival of block `number`, `at` milliseconds. */
function arrival(number: number, index: number, at: number, more: Partial<FlashblockArrival> = {}): FlashblockArrival {
  return {
    payloadId: `p${number}`,
    index,
    blockNumber: number,
    blockHash: `0x${number}-${index}`,
    gasUsed: BigInt(index) * 100n,
    transactionCount: 1,
    transactions: [{ hash: `0x${number}${index}`, to: undefined, value: 0n, selector: '' }],
    base:
      index === 0 ? { parentHash: `0x${number - 1}-9`, timestamp: BigInt(number * 2), gasLimit: 1_000n } : undefined,
    isSealed: false,
    arrivedAt: at,
    ...more,
  }
}

function following(arrivals: readonly FlashblockArrival[], from: Timeline = EMPTY_TIMELINE): Timeline {
  return arrivals.reduce((timeline, each) => nextTimeline(timeline, { kind: 'flashblock', arrival: each }), from)
}

/** Whole blocks that arrive at these times. */
function wholeBlocks(first: number, times: readonly number[], more: Partial<FlashblockArrival> = {}) {
  return times.map((at, position) => {
    const number = first + position
    const base = { parentHash: `whole ${number - 1}`, timestamp: 0n, gasLimit: 1_000n }
    const hash = `whole ${number}`
    return arrival(number, 0, at, { payloadId: hash, blockHash: hash, base, isSealed: true, ...more })
  })
}

/** `count` blocks of ten slots, one each 200 ms. */
function blocks(first: number, count: number): FlashblockArrival[] {
  return Array.from({ length: count * 10 }, (_, slot) =>
    arrival(first + Math.floor(slot / 10), slot % 10, (first * 10 + slot) * 200),
  )
}

describe('nextTimeline', () => {
  test('fills the slots of the open block, and seals it when the next one begins', () => {
    const timeline = following([...blocks(1, 1), arrival(2, 0, 4_000)])
    expect(timeline.sealed).toMatchObject([
      { number: 1, hash: '0x1-9', transactionCount: 10, gasUsed: 900n, isPartial: false },
    ])
    expect(timeline.sealed[0]!.slots.map(({ gasUsed }) => gasUsed)).toEqual([0n, ...Array(9).fill(100n)])
    expect(timeline.open).toMatchObject({ number: 2, slots: [{ index: 0 }] })
    expect(timeline.slotsPerBlock).toBe(10)
  })

  test('measures lateness against the usual gap, across blocks too', () => {
    const timeline = following([...blocks(1, 2), arrival(3, 0, 30 * 200 + 35), arrival(3, 1, 30 * 200 + 240)])
    expect(timeline.intervalMs).toBe(200)
    expect(timeline.open!.slots.map(({ latenessMs }) => latenessMs)).toEqual([35, 5])
    expect(timeline.latenesses.slice(-2).map(({ latenessMs }) => latenessMs)).toEqual([35, 5])
  })

  test('measures lateness between whole blocks of a chain without flashblocks', () => {
    const times = [0, 200, 400, 600, 800, 1_000, 1_260, 1_400]
    const timeline = following(wholeBlocks(1, times))
    expect(timeline.intervalMs).toBe(200)
    expect(timeline.latenesses).toEqual([
      { at: 1_000, latenessMs: 0 },
      { at: 1_260, latenessMs: 60 },
      { at: 1_400, latenessMs: 0 },
    ])
    expect(timeline.sealed.at(-1)!.slots[0]!.latenessMs).toBe(60)
  })

  test.each([
    ['blocks on demand', wholeBlocks(1, [0, 50, 5_000, 5_300, 40_000, 41_000, 47_000, 140_000])],
    ['blocks that the client looked for', wholeBlocks(1, [0, 2_000, 4_000, 6_000, 8_000, 10_000], { isPolled: true })],
  ])('knows no lateness of %s', (_, arrivals) => {
    expect(following(arrivals)).toMatchObject({ intervalMs: undefined, latenesses: [] })
  })

  test('measures anew when a chain changes from flashblocks to whole blocks', () => {
    const before = following(blocks(1, 2))
    const first = arrival(3, 0, 4_300, { payloadId: 'whole 3', blockHash: 'whole 3', isSealed: true })
    const changed = following([first, ...wholeBlocks(4, [6_300, 8_300, 10_300, 12_300])], before)
    expect([before.intervalMs, changed.intervalMs, changed.latenesses.length]).toEqual([
      200,
      undefined,
      before.latenesses.length,
    ])
    expect(following(wholeBlocks(8, [14_310]), changed)).toMatchObject({ intervalMs: 2_000, open: { number: 8 } })
  })

  test('ignores the flashblocks that a node repeats after a reconnection', () => {
    const timeline = following([arrival(1, 0, 0), arrival(1, 1, 200)])
    expect(following([arrival(1, 0, 300), arrival(1, 1, 310)], timeline)).toEqual(timeline)
  })

  test('marks a block partial when flashblocks are missing', () => {
    const missing = following([arrival(1, 0, 0), arrival(1, 3, 600)])
    expect(missing.open).toMatchObject({ isPartial: true, slots: [{ index: 0 }, { index: 3 }] })
    expect(missing.skipped).toBe(1)
    const lost = nextTimeline(following([arrival(1, 0, 0)]), { kind: 'lost' })
    expect(lost).toMatchObject({ open: undefined, sealed: [{ number: 1, isPartial: true }] })
  })

  test('joins a block in its middle as far as it is seen', () => {
    const joined = following([arrival(5, 4, 0), arrival(5, 5, 200)])
    expect(joined.open).toMatchObject({ number: 5, isPartial: true, transactionCount: 2, gasUsed: 500n })
    expect(joined.open!.slots.map(({ index, gasUsed }) => [index, gasUsed])).toEqual([
      [4, 0n],
      [5, 100n],
    ])
    expect(joined.skipped).toBe(0)
  })

  test('joins another block whose beginning was lost', () => {
    const joined = following([...blocks(1, 1), arrival(2, 3, 2_800)])
    expect(joined).toMatchObject({ open: { number: 2, isPartial: true }, sealed: [{ number: 1, isPartial: true }] })
    expect(joined.skipped).toBe(1)
  })

  test('goes on with the open block after a lost connection', () => {
    const lost = nextTimeline(following(blocks(1, 1).slice(0, 4)), { kind: 'lost' })
    const back = following([arrival(1, 6, 1_300), arrival(1, 7, 1_500), arrival(2, 0, 2_100)], lost)
    expect(back.sealed.map(({ number, slots }) => [number, slots.length])).toEqual([[1, 6]])
    expect(back.sealed[0]!.isPartial).toBe(true)
  })

  test('drops blocks that a reorganisation replaces', () => {
    const timeline = following([...blocks(1, 3), arrival(4, 0, 6_000), arrival(2, 0, 6_100, { payloadId: 'other' })])
    expect(timeline.sealed.map(({ number }) => number)).toEqual([1])
    expect(timeline).toMatchObject({ open: { number: 2, payloadId: 'other' }, replaced: 1 })
  })

  test.each([
    ['begins', 3, 0],
    ['is joined in its middle', 3, 4],
    ['begins at a lower height', 2, 0],
  ])('notices a reorganisation during a lost connection when the other block %s', (_, number, index) => {
    const lost = nextTimeline(following([...blocks(1, 2), arrival(3, 0, 4_000)]), { kind: 'lost' })
    const back = following([arrival(number, index, 9_000, { payloadId: 'other' })], lost)
    expect(back).toMatchObject({ open: { number, payloadId: 'other' }, replaced: 1 })
  })

  test.each([
    ['no reorganisation in the announced block', 0, 3, '0xsealed', '0x2-9', 0],
    ['no reorganisation in the parent of the announced block', 0, 2, '0x2-9', '0x1-9', 0],
    ['no reorganisation in the announced block whose beginning was missed', 1, 3, '0xsealed', '0x2-9', 0],
    ['a reorganisation in a block of another parent', 0, 3, '0xsealed', '0xother', 1],
  ])('sees %s when it is read whole after a lost connection', (_, first, number, blockHash, parentHash, replaced) => {
    const seen = first === 0 ? [...blocks(1, 2), arrival(3, 0, 4_000)] : [arrival(3, first, 4_000)]
    const lost = nextTimeline(following(seen), { kind: 'lost' })
    const base = { parentHash, timestamp: 6n, gasLimit: 1_000n }
    const whole = arrival(number, 0, 9_000, { payloadId: blockHash, blockHash, base, isSealed: true })
    expect(following([whole], lost)).toMatchObject({ open: { number, isSealed: true }, replaced })
  })

  test('marks the open block sealed when its height is announced, and open again when it goes on', () => {
    const timeline = following([arrival(4, 0, 0), arrival(4, 1, 200)])
    const sealed = nextTimeline(timeline, { kind: 'sealed', number: 4, at: 250 })
    expect([timeline.open, sealed.open]).toMatchObject([
      { isSealed: false, sealedAt: undefined },
      { isSealed: true, sealedAt: 250 },
    ])
    expect(following([arrival(5, 0, 400)], sealed).sealed).toMatchObject([{ number: 4, sealedAt: 250 }])
    expect(nextTimeline(timeline, { kind: 'sealed', number: 3, at: 250 })).toBe(timeline)
    expect(following([arrival(4, 2, 400)], sealed).open?.isSealed).toBe(false)
  })

  test('follows a schedule with fewer slots once no longer block is kept', () => {
    const short = Array.from({ length: MAX_SEALED * 2 }, (_, slot) =>
      arrival(2 + Math.floor(slot / 2), slot % 2, 4_000 + slot * 1_000),
    )
    const timeline = following(short, following(blocks(1, 1)))
    expect(timeline.slotsPerBlock).toBe(10)
    const later = 2 + MAX_SEALED
    expect(following([arrival(later, 0, 90_000)], timeline).slotsPerBlock).toBe(2)
  })

  test('is bounded over many blocks', () => {
    const timeline = following(blocks(1, 400))
    expect(timeline.sealed).toHaveLength(MAX_SEALED)
    expect(timeline.latenesses.length).toBeLessThanOrEqual(1_500)
    const kept = timeline.sealed.flatMap(({ slots }) => slots.flatMap(({ transactions }) => transactions))
    expect(kept.length).toBeLessThanOrEqual(100)
  })
})
