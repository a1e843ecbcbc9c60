import { describe, expect, it } from 'vitest'
import { programText } from '../../../test/fuzz/fuzz-program.ts'
import { fuzz } from '../../../test/fuzz/fuzz-run.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { testSeed } from '../../../test/support/test-seed.ts'

const RUNS = propertyRuns(2_000)
const PARTS = 4

describe('random programs end as in @ethereumjs/evm', () => {
  it.each(Array.from({ length: PARTS }, (_, part) => part))('part %i', { timeout: 300_000 }, async (part) => {
    const runs = RUNS / PARTS
    const { failures } = await fuzz({ seed: testSeed, from: part * runs, runs }, () => {})
    expect(failures.map(({ run, program }) => `program ${run}\n${programText(program)}`)).toEqual([])
  })
})
