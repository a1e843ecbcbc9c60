import { expect, test } from 'vitest'
import type { SimulationResult } from './simulate.ts'
import { addResult, readTotals, totalsText } from './totals.ts'

const RESULT: SimulationResult = {
  seed: 7,
  digest: '',
  steps: 100,
  simulatedMs: 2_000,
  flashblocks: 10,
  crashes: 2,
  refusals: 0,
  acknowledged: 5,
  epochs: 0,
  faults: { kill: 2 },
  faultsByRole: { solo: { kill: 1 }, replica: { kill: 1 } },
  drawnFaults: 2,
  failure: undefined,
}

test('faults are added up by kind and by the role that they hit', () => {
  const totals = readTotals(undefined, 'safety', 1)

  addResult(totals, RESULT, 1)
  addResult(totals, { ...RESULT, seed: 8, faultsByRole: { replica: { kill: 1, cut: 3 } } }, 1)

  expect(totals.faults).toEqual({ kill: 4 })
  expect(totals.faultsByRole).toEqual({ solo: { kill: 1 }, replica: { kill: 2, cut: 3 } })
  expect(totalsText(totals)).toContain('faults: kill 4\n  solo: kill 1\n  replica: kill 2, cut 3\n')
})
