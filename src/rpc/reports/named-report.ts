import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import { type ContractInterface, FunctionNames } from './contract-interface.ts'
import type { ContractGas, GasReportResult } from './gas-report.ts'

/**
 * A gas report with the names of a project where the node knows none.
 *
 * @param report of `tickertape_gasReport` with `includeCode`
 */
export function namedReport(
  report: GasReportResult,
  interfaceOf: (code: Bytes) => ContractInterface | undefined,
): GasReportResult {
  return { ...report, contracts: report.contracts.map((contract) => named(contract, interfaceOf)) }
}

function named(
  { code, ...contract }: ContractGas,
  interfaceOf: (code: Bytes) => ContractInterface | undefined,
): ContractGas {
  const known = code === undefined ? undefined : interfaceOf(hexToBytes(code))
  if (known === undefined) return contract
  const names = new FunctionNames(known.abi)
  const functions = contract.functions.map((called) => {
    const name = names.of(called.selector)
    return name === undefined ? called : { ...called, function: name }
  })
  return { ...contract, contract: known.name, functions }
}
