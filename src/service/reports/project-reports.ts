import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import type { CodeCoverage } from '../../rpc/reports/coverage-report.ts'
import type { GasReportResult } from '../../rpc/reports/gas-report.ts'
import { namedReport } from '../../rpc/reports/named-report.ts'
import { contractWithRuntimeCode, type SolidityContract } from '../../solidity/compiled/solidity-contract.ts'
import { type Coverage, coverageOf, type RunCode } from '../../solidity/line-coverage/coverage.ts'
import { isProjectSource, projectPath } from '../../sources/build-info/project-contracts.ts'

/** Sends a request to a node. */
export type ReportRequest = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Transactions of a report; without a block those since `tickertape_startReport`, or since block 1. */
export interface ReportedRange {
  readonly fromBlock?: string | undefined
  readonly toBlock?: string | undefined
}

/** The gas report of a node, with the names of a project where the node knows none. */
export async function projectGasReport(
  request: ReportRequest,
  range: ReportedRange,
  contracts: readonly SolidityContract[],
): Promise<GasReportResult> {
  const report = (await request('tickertape_gasReport', [{ ...range, includeDetails: true }])) as GasReportResult
  return namedReport(report, (code) => {
    const found = contractWithRuntimeCode(contracts, code)
    return found && { name: `${projectPath(found.facts.path)}:${found.facts.name}`, abi: found.facts.abi }
  })
}

/** Coverage, and why transactions are missing if they are. */
export interface ProjectCoverage extends Coverage {
  readonly transactions: number
  readonly incomplete?: string
}

/**
 * The coverage of the sources of a project, without those of packages.
 *
 * @param moreContracts finds contracts for codes that the project does not have. Default: none.
 */
export async function projectCoverage(
  request: ReportRequest,
  range: ReportedRange,
  contracts: readonly SolidityContract[],
  moreContracts: (codes: readonly CodeCoverage[]) => Promise<readonly SolidityContract[]> = async () => [],
): Promise<ProjectCoverage> {
  const { codes, transactions, incomplete } = (await request('tickertape_coverage', [range])) as {
    readonly codes: readonly CodeCoverage[]
    readonly transactions: number
    readonly incomplete?: string
  }
  const isKnown = (code: Bytes) => contractWithRuntimeCode(contracts, code) !== undefined
  const unknown = codes.filter(({ kind, code }) => kind === 'runtime' && !isKnown(hexToBytes(code)))
  const all = [...contracts, ...(await moreContracts(unknown))]
  const coverage = coverageOf(all, codes.map(runCode), isProjectSource)
  const files = coverage.files.map((file) => ({ ...file, path: projectPath(file.path) }))
  return { ...coverage, files, transactions, ...(incomplete !== undefined && { incomplete }) }
}

function runCode({ kind, code, hits, jumps }: CodeCoverage): RunCode {
  return { kind, code: hexToBytes(code), hits: new Map(hits), jumps: new Map(jumps) }
}
