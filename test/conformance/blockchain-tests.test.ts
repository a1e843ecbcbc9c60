import { describe, expect, it } from 'vitest'
import { conformancePath, hasConformanceData } from '../support/conformance-data.ts'
import { runSuite } from './suite-run.ts'
import { hasTestedFork } from './tested-forks.ts'

/** This block has two faults: go-ethereum checks the fee first, the suite names the gas limit. */
const TWO_FAULTS = 'tests/frontier/validation/test_transaction.py::test_tx_gas_limit[fork_Osaka-blockchain_test]'

describe.skipIf(!hasConformanceData('blockchain-tests', 'layer-1 blocks, valid and invalid'))(
  'blockchain tests',
  () => {
    it('import valid blocks and reject invalid ones for the recorded reason', { timeout: 600_000 }, async () => {
      const report = await runSuite('blocks', conformancePath('blockchain-tests'), hasTestedFork)
      expect(report.failures).toEqual([])
      expect(report.warnings.filter(({ id }) => id !== TWO_FAULTS)).toEqual([])
      expect(report.passed).toBeGreaterThan(500)
    })
  },
)
