import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { ValuesOf } from '../../flags/flag.ts'
import type { ProjectCoverage } from '../../service/reports/project-reports.ts'
import { projectCoverage } from '../../service/reports/project-reports.ts'
import { coverageTable } from '../../solidity/line-coverage/coverage-table.ts'
import { coverageTotals, lcovOf, percentage } from '../../solidity/line-coverage/lcov.ts'
import { StockError } from '../stock/terms/stock-error.ts'
import { COVERAGE_FLAGS } from './report-flags.ts'
import { type ReportOutput, reportCommand } from './run-report.ts'
import { verifiedContracts } from './verified-contracts.ts'

export const COVERAGE_EXAMPLES: readonly string[] = [
  'coverage --out lcov.info',
  'coverage --abi artifacts --fail-under 80',
  'coverage --from-block 120 --to-block 180 --json',
]

export const COVERAGE_EXITS =
  'Exit codes: 0 printed, 1 fewer lines ran than --fail-under, 2 wrong usage or no sources, 3 the node cannot be reached or refuses.'

type CoverageOptions = ValuesOf<typeof COVERAGE_FLAGS>

/** `tickertape coverage` */
export function coverageCommand(): Command {
  return reportCommand<CoverageOptions>({
    name: 'coverage',
    description: 'Print which lines of contracts ran in transactions on a running node, and write them for LCOV',
    exits: COVERAGE_EXITS,
    examples: COVERAGE_EXAMPLES,
    flags: COVERAGE_FLAGS,
    async run(options, { rpc, request, contracts }) {
      const { fromBlock, toBlock } = options
      const coverage = await projectCoverage(request, { fromBlock, toBlock }, contracts, (codes) =>
        verifiedContracts(
          options,
          rpc,
          codes.flatMap(({ addresses }) => addresses.slice(0, 1)),
        ),
      )
      if (coverage.files.length === 0) throw withoutSources(coverage)
      return outputOf(coverage, options)
    },
  })
}

function withoutSources({ withoutTrees }: ProjectCoverage): StockError {
  const problem =
    withoutTrees.length > 0
      ? 'the build information has no syntax trees: compile with the output "ast" (forge build --ast --build-info)'
      : 'no sources are known: compile with build-info and name its folder with --abi, or verify the contracts'
  return new StockError('INVALID_INPUT', problem)
}

function outputOf(coverage: ProjectCoverage, { out, failUnder }: CoverageOptions): ReportOutput {
  const { files, transactions } = coverage
  if (out !== undefined) writeTracefile(out, lcovOf(files))
  const totals = coverageTotals(files)
  const percent = percentage(totals.lines)
  const isTooLow = failUnder !== undefined && percent < failUnder
  const notes = [...notesOf(coverage), ...(isTooLow ? [`fewer lines ran than --fail-under ${failUnder} %`] : [])]
  const share = ([hit, found]: readonly [number, number]) => ({ hit, found })
  const totalsOf = ({ lines, functions, branches }: typeof totals) => ({
    lines: share(lines),
    functions: share(functions),
    branches: share(branches),
  })
  return {
    exitCode: isTooLow ? 1 : 0,
    text: `${coverageTable(files)}\n${transactions} transactions${out === undefined ? '' : `, written to ${out}`}\n`,
    value: {
      transactions,
      totals: totalsOf(totals),
      files: files.map((file) => ({ path: file.path, ...totalsOf(coverageTotals([file])) })),
      notes,
    },
    notes,
  }
}

function notesOf({ incomplete, unknownCodes, withoutTrees, withoutBranches }: ProjectCoverage): readonly string[] {
  return [
    ...(incomplete === undefined ? [] : [`transactions are missing: ${incomplete}`]),
    ...(unknownCodes === 0 ? [] : [`${unknownCodes} codes ran whose sources are not known`]),
    ...(withoutTrees.length === 0 ? [] : [`${withoutTrees.length} contracts were compiled without the output "ast"`]),
    ...(withoutBranches.length === 0
      ? []
      : [`the branches of ${withoutBranches.length} contracts are left out: they were compiled with viaIR`]),
  ]
}

function writeTracefile(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw new StockError('INVALID_INPUT', `--out: ${path} cannot be written: ${(error as Error).message}`)
  }
}
