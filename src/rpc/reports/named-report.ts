import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import type { ContractInterface } from './contract-interface.ts'
import { type ContractGas, GasReport, type GasReportResult } from './gas-report.ts'

/**
 * A gas report with the names of a project where the node knows none, and without details.
 *
 * @param report of `tickertape_gasReport` with `includeDetails`
 */
export function namedReport(
  report: GasReportResult,
  interfaceOf: (code: Bytes) => ContractInterface | undefined,
): GasReportResult {
  // The report of the node is bounded.
  const named = new GasReport({ spend: () => undefined })
  const unnamed = report.contracts.filter(({ contract }) => contract === undefined)
  for (const contract of unnamed) {
    named.addContract(contract, interfaceOf(hexToBytes(contract.code ?? '0x')))
  }
  const known = report.contracts.filter(({ contract }) => contract !== undefined).map(withoutAmounts)
  return { ...report, contracts: [...known, ...named.contracts()] }
}

function withoutAmounts({ deployments, functions, ...contract }: ContractGas): ContractGas {
  const { amounts: _, ...deployed } = deployments ?? {}
  return {
    ...contract,
    ...(deployments !== undefined && { deployments: deployed as NonNullable<ContractGas['deployments']> }),
    functions: functions.map(({ amounts: _, ...called }) => called),
  }
}
