import { expect, test } from 'vitest'
import { shouldCollect } from './idle-memory.ts'

const MEBIBYTE = 1024 * 1024

test.each([
  ['little garbage', 20, 50, 50, false],
  ['much garbage, and nothing happens', 20, 200, 201, true],
  ['much garbage, while more comes', 20, 150, 200, false],
  ['much garbage, some of which went', 20, 200, 120, true],
])('%s', (_, floor, before, now, expected) => {
  const looks = { floor: floor * MEBIBYTE, before: before * MEBIBYTE, now: now * MEBIBYTE }
  expect(shouldCollect(looks)).toBe(expected)
})
