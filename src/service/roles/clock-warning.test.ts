import { expect, test } from 'vitest'
import { clockWarning } from './clock-warning.ts'

test('warns once each time the clock begins to differ by more than is allowed', () => {
  const warnings: object[] = []
  const look = clockWarning(3_000, { warn: (details) => void warnings.push(details) })

  for (const offsetMs of [0, 3_000, 3_001.4, 9_000, -3_000, -3_001, 0]) look(offsetMs)

  expect(warnings).toEqual([{ offsetMs: 3_001 }, { offsetMs: -3_001 }])
})
