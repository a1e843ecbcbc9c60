import { expect, onTestFinished, test, vi } from 'vitest'
import { processorTimeMeter, systemClock } from './clock.ts'

/** A meter by a clock (`now`) and processor time (`ran`) that the test sets, in milliseconds; counts its samples. */
function meter() {
  const time = { now: 1_000, ran: 50, samples: 0 }
  const meterOf = processorTimeMeter(() => {
    time.samples += 1
    return time.ran
  })
  return { time, ran: () => meterOf(time.now) }
}

test('reads the processor time of the process once in eight milliseconds', () => {
  const { time, ran } = meter()
  const begun = ran()
  for (let count = 0; count < 64; count++) {
    time.now += 0.125
    time.ran += 0.125
    expect(ran() - begun).toBe(0.125 * (count + 1))
  }
  expect(time.samples).toBe(1)
  time.now += 0.125
  time.ran += 0.125
  expect(ran() - begun).toBe(8.125)
  expect(time.samples).toBe(2)
})

test('does not charge a call for time spent waiting for the processor', () => {
  const { time, ran } = meter()
  ran()
  time.now += 5
  const begun = ran()
  time.now += 100
  time.ran += 1
  expect(ran() - begun).toBeLessThan(1)
})

test("does not charge a call for another thread's processor time", () => {
  const { time, ran } = meter()
  ran()
  time.now += 9
  time.ran += 18
  const begun = ran()
  time.now += 9
  time.ran += 18
  expect(ran() - begun).toBe(9)
})

test('waits for an instant beyond the longest timer of Node', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  let calls = 0
  const days = 30 * 24 * 3_600_000

  systemClock.at(performance.now() + days, () => {
    calls += 1
  })

  vi.advanceTimersByTime(1_000)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(days - 2_000)
  expect(calls).toBe(0)
  vi.advanceTimersByTime(2_000)
  expect(calls).toBe(1)
})
