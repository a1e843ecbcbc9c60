import { expect, test } from 'vitest'
import { visibleRange } from './visible-range.ts'

const table = { height: 100, rowHeight: 10, count: 1_000, overscan: 2 }

test.each([
  [0, 0, 13],
  [55, 3, 18],
  [9_900, 988, 1_000],
])('at %s pixels the rows %s to %s exist', (scroll, first, end) => {
  expect(visibleRange({ ...table, scroll })).toEqual({ first, end })
})

test('shows the end of a list that became shorter than the scroll position', () => {
  expect(visibleRange({ ...table, scroll: 9_000, count: 20 })).toEqual({ first: 8, end: 20 })
  expect(visibleRange({ ...table, scroll: 9_000, count: 0 })).toEqual({ first: 0, end: 0 })
})
