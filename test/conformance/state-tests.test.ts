import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { hasConformanceData } from '../support/conformance-data.ts'
import { runSuite } from './suite-run.ts'

const FOLDER = fileURLToPath(new URL('../../../shared/conformance/state-tests', import.meta.url))

describe.skipIf(!hasConformanceData('state-tests', 'state tests of Cancun, Prague and Osaka'))('state tests', () => {
  it('end with the state root and the logs that they say', { timeout: 600_000 }, async () => {
    const report = await runSuite('state', FOLDER, () => {})
    expect(report.failures).toEqual([])
    expect(report.warnings).toEqual([])
    expect(report.passed).toBeGreaterThan(5_000)
  })
})
