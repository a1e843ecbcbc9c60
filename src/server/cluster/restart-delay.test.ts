import { expect, test } from 'vitest'
import { failuresInARow, restartDelay } from './restart-delay.ts'

test('doubles the restart delay of a failing worker up to ten seconds', () => {
  let failures = 0
  const delays = Array.from({ length: 9 }, () => {
    failures = failuresInARow(failures, 1_000)
    return restartDelay(failures)
  })
  expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
  expect(restartDelay(1_000)).toBe(10_000)
  expect(failuresInARow(failures, 60_000)).toBe(1)
})
