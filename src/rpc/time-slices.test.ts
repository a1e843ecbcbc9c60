import { expect, test } from 'vitest'
import { ManualClock } from '../node/manual-clock.ts'
import { timeSlices } from './time-slices.ts'

test('work goes on within a slice, gives a turn after it, and ends at the limit', async () => {
  const clock = new ManualClock({ wall: 0 })
  const mayContinue = timeSlices(clock, 100)
  expect(mayContinue()).toBe(true)
  clock.moveTo(11)
  const turn = mayContinue()
  expect(turn).toBeInstanceOf(Promise)
  clock.moveTo(12)
  expect(await turn).toBe(true)
  expect(mayContinue()).toBe(true)
  clock.moveTo(101)
  expect(mayContinue()).toBe(false)
})
