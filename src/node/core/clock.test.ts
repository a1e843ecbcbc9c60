import { expect, test } from 'vitest'
import { processorTimeMeter } from './clock.ts'

function meter() {
  const time = { now: 1_000, ran: 50, samples: 0 }
  const sample = () => {
    time.samples += 1
    return time.ran
  }
  const ran = processorTimeMeter(sample)
  return { time, ran: () => ran(time.now) }
}

test('the system is asked what a process has run once in some milliseconds, however often that is wanted', () => {
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

test('who waited for the processor for longer than a slice is not thought to have used it', () => {
  const { time, ran } = meter()
  ran()
  time.now += 5
  const begun = ran()
  time.now += 100
  time.ran += 1
  expect(ran() - begun).toBeLessThan(1)
})

test('a call was thought to have used its slice up because another thread was busy too', () => {
  const { time, ran } = meter()
  ran()
  time.now += 9
  time.ran += 18
  const begun = ran()
  time.now += 9
  time.ran += 18
  expect(ran() - begun).toBe(9)
})
