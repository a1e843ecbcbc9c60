import { describe, expect, it } from 'vitest'
import { conformancePath, hasConformanceData } from '../support/conformance-data.ts'
import { runSuite } from './suite-run.ts'
import { hasTestedFork } from './tested-forks.ts'

describe.skipIf(!hasConformanceData('state-tests', 'state tests of Cancun, Prague and Osaka'))('state tests', () => {
  it('produce the recorded state root and logs', { timeout: 600_000 }, async () => {
    const report = await runSuite('state', conformancePath('state-tests'), hasTestedFork)
    expect(report.failures).toEqual([])
    expect(report.warnings).toEqual([])
    expect(report.passed).toBeGreaterThan(5_000)
  })
})
