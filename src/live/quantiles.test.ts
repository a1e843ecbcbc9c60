import { expect, test } from 'vitest'
import { latenessSeries, quantileOf } from './quantiles.ts'

test('quantileOf takes the nearest rank', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect([0, 0.5, 0.99, 1].map((quantile) => quantileOf(values, quantile))).toEqual([1, 50, 99, 100])
  expect(quantileOf([], 0.5)).toBeUndefined()
})

test('latenessSeries takes each point from the window before it, and leaves gaps empty', () => {
  const samples = [
    { at: 1_000, latenessMs: 5 },
    { at: 1_500, latenessMs: 50 },
    { at: 4_000, latenessMs: 1 },
  ]
  const series = latenessSeries(samples, { until: 4_900, spanMs: 4_000, stepMs: 1_000, windowMs: 1_000 })
  expect(series).toEqual([
    [0, 1, 2, 3, 4],
    [null, 5, 50, null, 1],
    [null, 5, 50, null, 1],
  ])
})
