import { expect, test } from 'vitest'
import { ManualClock } from '../../node/core/manual-clock.ts'
import { RunQueue } from './run-queue.ts'
import { createYield, timeSlices } from './time-slices.ts'

test('work goes on within a slice, gives a turn after it, and ends at the limit', async () => {
  const clock = new ManualClock({ wall: 0 })
  const queue = new RunQueue({ now: () => clock.monotonic(), nextRound: queueMicrotask })
  const mayContinue = timeSlices(clock, 100, createYield(clock, queue))
  expect(mayContinue()).toBe(true)
  clock.moveTo(11)
  const yieldIfDue = mayContinue()
  expect(yieldIfDue).toBeInstanceOf(Promise)
  expect(await yieldIfDue).toBe(true)
  expect(mayContinue()).toBe(true)
  clock.moveTo(101)
  expect(mayContinue()).toBe(false)
})

test('work for a client that has gone ends at its next turn', async () => {
  const clock = new ManualClock({ wall: 0 })
  const queue = new RunQueue({ now: () => clock.monotonic(), nextRound: queueMicrotask })
  let isGone = false
  const yieldIfDue = createYield(clock, queue, { isGone: () => isGone })
  isGone = true
  expect(yieldIfDue()).toBe(true)
  clock.moveTo(11)
  await expect(yieldIfDue()).rejects.toThrow('the client is gone')
})
