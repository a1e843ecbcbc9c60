import { expect, test } from 'vitest'
import { ManualClock } from '../../node/core/manual-clock.ts'
import { TurnQueue } from './run-queue.ts'
import { timeSlices, turns } from './time-slices.ts'

test('work goes on within a slice, gives a turn after it, and ends at the limit', async () => {
  const clock = new ManualClock({ wall: 0 })
  const queue = new TurnQueue({ now: () => clock.monotonic(), nextRound: queueMicrotask })
  const mayContinue = timeSlices(clock, 100, turns(clock, queue))
  expect(mayContinue()).toBe(true)
  clock.moveTo(11)
  const turn = mayContinue()
  expect(turn).toBeInstanceOf(Promise)
  expect(await turn).toBe(true)
  expect(mayContinue()).toBe(true)
  clock.moveTo(101)
  expect(mayContinue()).toBe(false)
})

test('work for a client that has gone ends at its next turn', async () => {
  const clock = new ManualClock({ wall: 0 })
  const queue = new TurnQueue({ now: () => clock.monotonic(), nextRound: queueMicrotask })
  let isGone = false
  const turn = turns(clock, queue, { isGone: () => isGone })
  isGone = true
  expect(turn()).toBe(true)
  clock.moveTo(11)
  await expect(turn()).rejects.toThrow('the client is gone')
})
