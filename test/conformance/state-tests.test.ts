import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { conformanceJson, hasConformanceData } from '../support/conformance-data.ts'
import { runStateTest, type StateTestCase } from './state-test-case.ts'

const FOLDER = new URL('../../../shared/conformance/state-tests/', import.meta.url)

/**
 * Every n-th case of a fork. `STATE_TESTS=all` runs all 5733 (minutes); without it, Cancun and Prague run in full and
 * Osaka as a sample.
 */
const runsAll = process.env.STATE_TESTS === 'all'
const STEP: Readonly<Record<string, number>> = runsAll
  ? { Cancun: 1, Prague: 1, Osaka: 1 }
  : { Cancun: 1, Prague: 1, Osaka: 10 }

/** They burn 120M gas each, ten seconds and more in this interpreter: with all the others only. */
const SLOW = /run_until_out_of_gas/

type Group = Readonly<Record<string, Readonly<Record<string, StateTestCase>>>>

const isHere = hasConformanceData('state-tests', 'state tests of Cancun, Prague and Osaka')

for (const [fork, step] of Object.entries(STEP)) {
  describe.skipIf(!isHere)(`state tests, ${fork}`, () => {
    const files = isHere ? readdirSync(new URL(`${fork}/`, FOLDER)) : ['state tests']
    for (const file of files) {
      it(file, { timeout: 1_200_000 }, async () => {
        const failures: string[] = []
        const cases = casesOf(`state-tests/${fork}/${file}`, step)
        for (const [id, test] of cases) {
          const failure = await runStateTest(fork, test).catch((error: unknown) => `threw ${error}`)
          if (failure !== undefined) failures.push(`${id}: ${failure}`)
        }
        expect(cases.length).toBeGreaterThan(0)
        expect(failures).toEqual([])
      })
    }
  })
}

function casesOf(path: string, step: number): readonly (readonly [string, StateTestCase])[] {
  const all = Object.values(conformanceJson(path) as Group).flatMap((tests) => Object.entries(tests))
  return runsAll ? all : all.filter(([id], index) => index % step === 0 && !SLOW.test(id))
}
