import { expect, test } from 'vitest'
import { shouldCollect } from './idle-memory.ts'

const MEBIBYTE = 1024 * 1024

test.each([
  ['little garbage', 20, 50, 50, 0.05, false],
  ['much garbage, and nothing happens', 20, 200, 201, 0.05, true],
  ['much garbage, while more comes', 20, 150, 200, 0.05, false],
  ['much garbage, some of which went', 20, 200, 120, 0.05, true],
  ['a pause of all garbage came on top in a busy node, right after V8 had collected some', 20, 200, 120, 0.8, false],
])('%s', (_, floor, before, now, busy, expected) => {
  const looks = { floor: floor * MEBIBYTE, before: before * MEBIBYTE, now: now * MEBIBYTE, busy }
  expect(shouldCollect(looks)).toBe(expected)
})
