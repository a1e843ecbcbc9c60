import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockTimestamp, createSchedule, gasRoom, InvalidScheduleError, nextOpening, nextSlot } from './schedule.ts'

const schedule = createSchedule(2_000, 200)

test.each([
  ['on time', 0, 10, { slot: 1, at: 200, missed: 0 }],
  ['late within the interval', 3, 790, { slot: 4, at: 800, missed: 0 }],
  ['one slot overdue', 3, 810, { slot: 4, at: 800, missed: 0 }],
  ['several overdue: only the newest is taken', 3, 1_050, { slot: 5, at: 1_000, missed: 1 }],
  ['past the end: the last slot seals', 3, 99_000, { slot: 10, at: 2_000, missed: 6 }],
])('selects the next slot %s', (_, last, now, expected) => {
  expect(nextSlot(schedule, 0, last, now)).toEqual(expected)
})

test('property: slots keep their times after any delays, and never repeat', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 30 }), (delays) => {
      let now = 0
      let last = 0
      for (const delay of delays) {
        const next = nextSlot(schedule, 0, last, now)
        expect(next.slot).toBeGreaterThan(last)
        expect(next.at).toBe(next.slot * 200)
        if (next.slot === schedule.slots) return
        now = Math.max(now, next.at) + delay
        last = next.slot
      }
    }),
  )
})

test.each([
  [2_000, { at: 2_000, missed: 0 }],
  [2_150, { at: 2_000, missed: 0 }],
  [3_999, { at: 2_000, missed: 0 }],
  [4_000, { at: 4_000, missed: 10 }],
  [9_100, { at: 8_000, missed: 30 }],
])('a block sealed at %s is followed by one opened at %j', (now, opening) => {
  expect(nextOpening(schedule, 0, now)).toEqual(opening)
})

test('releases gas in equal parts, and all of it by the last slot', () => {
  expect(gasRoom(schedule, 1, 400_000_000n)).toBe(40_000_000n)
  expect(gasRoom(schedule, 10, 400_000_001n)).toBe(400_000_001n)
})

test("a timestamp is the sealing time in whole seconds and exceeds the parent's", () => {
  expect(blockTimestamp(schedule, 1_000_500, 900n)).toBe(1_002n)
  expect(blockTimestamp(schedule, 1_000_500, 1_002n)).toBe(1_003n)
})

test.each([
  [1_500, 100, '--block-time'],
  [2_000, 300, '--flashblock-interval'],
])('the error for block time %s with interval %s names the flag to change', (blockTime, interval, flag) => {
  expect(() => createSchedule(blockTime, interval)).toThrow(flag)
})

test.each([
  [1_500, 100],
  [0, 200],
  [2_000, 300],
  [2_000, 5],
])('rejects block time %s with interval %s', (blockTime, interval) => {
  expect(() => createSchedule(blockTime, interval)).toThrow(InvalidScheduleError)
})
