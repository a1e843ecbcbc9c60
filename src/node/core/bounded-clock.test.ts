import { beforeEach, expect, test } from 'vitest'
import { boundedClock } from './bounded-clock.ts'
import type { Clock } from './clock.ts'

const MAX_JUMP_MS = 3_000
const HOUR_MS = 3_600_000

let [wall, monotonic, suspended] = [0, 0, 0]
let errors = 0
let clock: Clock
beforeEach(() => {
  ;[wall, monotonic, suspended, errors] = [1_000_000, 0, 0, 0]
  const system = { wall: () => wall, monotonic: () => monotonic, at: () => () => {} }
  const log = { error: () => void errors++ }
  clock = boundedClock({ maxJumpMs: MAX_JUMP_MS }, { clock: system, uptimeMs: () => monotonic + suspended, log })
})

function pass(milliseconds: number): void {
  wall += milliseconds
  monotonic += milliseconds
}

test('follows the system clock, small steps and steps back', () => {
  pass(500)
  expect(clock.wall()).toBe(1_000_500)
  wall += MAX_JUMP_MS
  expect(clock.wall()).toBe(1_003_500)
  wall -= HOUR_MS
  expect(clock.wall()).toBe(1_003_500 - HOUR_MS)
  expect(errors).toBe(0)
})

test('hardly follows a system clock that is ahead, and follows it again when it is corrected', () => {
  wall += 48 * HOUR_MS
  for (let second = 1; second <= 6; second++) {
    pass(1_000)
    expect(clock.wall()).toBe(1_001_000 + (second - 1) * 1_050)
  }
  wall -= 48 * HOUR_MS
  pass(1_000)

  expect(clock.wall()).toBe(1_007_000)
  expect(errors).toBe(1)
})

test('comes back to real time after a pause of the whole machine, by 50 ms in a second and without a step', () => {
  clock.wall()
  wall += 60_000
  const steps: number[] = []
  let before = clock.wall()
  let seconds = 0
  for (; seconds < 3_600 && clock.wall() < wall; seconds++) {
    pass(1_000)
    steps.push(clock.wall() - before)
    before = clock.wall()
  }

  expect(seconds).toBeGreaterThan(1_000)
  expect(seconds).toBeLessThan(1_200)
  expect(steps.slice(1, -1).every((step) => Math.round(step) === 1_050)).toBe(true)
  expect(Math.max(...steps)).toBeLessThanOrEqual(1_050 + MAX_JUMP_MS)
  expect(errors).toBe(1)
})

test('gains on a system clock that is ahead only while it is behind other machines', () => {
  clock.wall()
  wall += HOUR_MS
  clock.wall()
  pass(10_000)
  const before = clock.wall()
  expect(before).toBe(1_000_000 + 10_500)

  clock.noteOffset!(0)
  pass(10_000)
  expect(clock.wall() - before).toBe(10_000)

  clock.noteOffset!(-5_000)
  pass(10_000)
  expect(clock.wall() - before).toBe(20_500)
})

test('follows the time for which the machine was suspended, and no more', () => {
  wall += HOUR_MS
  suspended += HOUR_MS
  expect(clock.wall()).toBe(1_000_000 + HOUR_MS)
  wall += 2 * HOUR_MS
  suspended += HOUR_MS
  expect(clock.wall()).toBe(1_000_000 + HOUR_MS)
  expect(errors).toBe(1)
})
