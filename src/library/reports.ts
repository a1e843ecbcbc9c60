import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SolidityContract } from '../solidity/compiled/solidity-contract.ts'
import { NodeError } from './node-error.ts'

/** A node, or any EIP-1193 provider of one, such as that of a Hardhat network. */
export interface ReportedNode {
  request(request: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

/** Where reports are written, and the project that they are about. */
export interface ReportFiles {
  /** Folder with build information: `artifacts` of Hardhat, or `out` of `forge build --build-info --ast`. */
  readonly artifacts: string
  /** File for gas by contract and function, as text. Default: none. */
  readonly gasReport?: string | undefined
  /** File for the lines that ran, as LCOV. Default: none. */
  readonly lcov?: string | undefined
}

/** Reports as text. */
export interface ReportTexts {
  /** A table for each contract. */
  readonly gasReport: string
  /** A tracefile of LCOV. */
  readonly lcov: string
  /** Percentage of the lines of the project that ran, from 0 to 100. `undefined`: the build has no syntax trees. */
  readonly linePercentage: number | undefined
}

/**
 * Starts reports after the newest transaction: they keep what reverts and resets remove. Without a start,
 * `writeReports` covers the transactions that are on the chain.
 *
 * @example await startReports(node)
 */
export async function startReports(node: ReportedNode): Promise<void> {
  await node.request({ method: 'tickertape_startReport', params: [] })
}

/**
 * Reports the gas and the line coverage of all transactions since `startReports`, and writes them to files.
 *
 * @throws NodeError `INVALID_OPTION` if the folder has no build information, or none with the lines that `lcov` needs
 * @example await writeReports(node, { artifacts: 'artifacts', gasReport: 'gas-report.txt', lcov: 'lcov.info' })
 */
export async function writeReports(node: ReportedNode, files: ReportFiles): Promise<ReportTexts> {
  const { artifacts, gasReport: gasFile, lcov: lcovFile } = files
  // Loaded on demand: most programs make no reports.
  const [
    { BuildInfoError, projectContracts, projectFolder },
    { projectCoverage, projectGasReport },
    { gasTable },
    lines,
  ] = await Promise.all([
    import('../sources/build-info/project-contracts.ts'),
    import('../service/reports/project-reports.ts'),
    import('../rpc/reports/gas-table.ts'),
    import('../solidity/line-coverage/lcov.ts'),
  ])
  const folder = projectFolder(artifacts)
  if (folder === undefined) {
    const advice = 'compile with hardhat build or forge build --build-info --ast'
    throw new NodeError('INVALID_OPTION', `artifacts: there is no build-info in ${artifacts}: ${advice}`)
  }
  let contracts: readonly SolidityContract[]
  try {
    contracts = projectContracts(folder)
  } catch (error) {
    if (!(error instanceof BuildInfoError)) throw error
    throw new NodeError('INVALID_OPTION', `artifacts: ${error.message}: compile again`)
  }
  const request = (method: string, params: readonly unknown[]) => node.request({ method, params })
  const gasReport = gasTable(await projectGasReport(request, {}, contracts))
  const coverage = await projectCoverage(request, {}, contracts)
  const hasLines = coverage.files.length > 0
  if (lcovFile !== undefined && !hasLines) {
    const advice = 'compile with hardhat build or forge build --build-info --ast'
    throw new NodeError('INVALID_OPTION', `artifacts: the build-info in ${artifacts} has no syntax trees: ${advice}`)
  }
  const lcov = lines.lcovOf(coverage.files)
  if (gasFile !== undefined) write(gasFile, gasReport)
  if (lcovFile !== undefined) write(lcovFile, lcov)
  return {
    gasReport,
    lcov,
    linePercentage: hasLines ? lines.percentage(lines.coverageTotals(coverage.files).lines) : undefined,
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
