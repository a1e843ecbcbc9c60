import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { hasConformanceData } from '../support/conformance-data.ts'
import { runSuite } from './suite-run.ts'

/** Its transaction has two faults; go-ethereum's order tells of the fee, the suite of the gas. */
const TWO_FAULTS = 'tests/frontier/validation/test_transaction.py::test_tx_gas_limit[fork_Osaka-blockchain_test]'

const FOLDER = fileURLToPath(new URL('../../../shared/conformance/blockchain-tests', import.meta.url))

describe.skipIf(!hasConformanceData('blockchain-tests', 'blocks of layer 1, good and bad'))('blockchain tests', () => {
  it('import their good blocks and refuse the others', { timeout: 600_000 }, async () => {
    const report = await runSuite('blocks', FOLDER, () => {})
    expect(report.failures).toEqual([])
    expect(report.warnings.filter(({ id }) => id !== TWO_FAULTS)).toEqual([])
    expect(report.passed).toBeGreaterThan(500)
  })
})
