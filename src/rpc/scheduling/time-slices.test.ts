import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { ANONYMOUS } from '../protocol/rpc-client.ts'
import { RunQueue } from './run-queue.ts'
import { createYield, timeSlices } from './time-slices.ts'

test('continues within a slice, yields after it, and ends at the time limit', async () => {
  const clock = new ManualClock({ wall: 0 })
  const queue = new RunQueue({ now: () => clock.monotonic(), nextRound: queueMicrotask })
  const mayContinue = timeSlices(clock, 100, createYield(clock, queue, ANONYMOUS))
  expect(mayContinue()).toBe(true)
  clock.moveTo(11)
  const yieldIfDue = mayContinue()
  expect(yieldIfDue).toBeInstanceOf(Promise)
  expect(await yieldIfDue).toBe(true)
  expect(mayContinue()).toBe(true)
  clock.moveTo(101)
  expect(mayContinue()).toBe(false)
})

test('ends at the next yield when the client has disconnected', async () => {
  const clock = new ManualClock({ wall: 0 })
  const queue = new RunQueue({ now: () => clock.monotonic(), nextRound: queueMicrotask })
  let isGone = false
  const yieldIfDue = createYield(clock, queue, { ...ANONYMOUS, isGone: () => isGone })
  isGone = true
  expect(yieldIfDue()).toBe(true)
  clock.moveTo(11)
  await expect(yieldIfDue()).rejects.toThrow('the client is gone')
})
