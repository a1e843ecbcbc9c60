import type { Command } from 'commander'
import type { ValuesOf } from '../../flags/flag.ts'
import { gasTable } from '../../rpc/reports/gas-table.ts'
import { projectGasReport } from '../../service/reports/project-reports.ts'
import { GAS_REPORT_FLAGS } from './report-flags.ts'
import { reportCommand } from './run-report.ts'

export const GAS_REPORT_EXAMPLES: readonly string[] = [
  'gas-report',
  'gas-report --abi out --from-block 120 --to-block 180',
  'gas-report --rpc-url http://127.0.0.1:8545 --json',
]

export const GAS_REPORT_EXITS =
  'Exit codes: 0 printed, 2 wrong usage or no build information, 3 the node cannot be reached or refuses.'

type GasReportOptions = ValuesOf<typeof GAS_REPORT_FLAGS>

/** `tickertape gas-report` */
export function gasReportCommand(): Command {
  return reportCommand<GasReportOptions>({
    name: 'gas-report',
    description: 'Print the gas of calls and deployments by contract and function, of transactions on a running node',
    exits: GAS_REPORT_EXITS,
    examples: GAS_REPORT_EXAMPLES,
    flags: GAS_REPORT_FLAGS,
    async run({ fromBlock, toBlock }, { request, contracts }) {
      const report = await projectGasReport(request, { fromBlock, toBlock }, contracts)
      return { exitCode: 0, text: gasTable(report), value: { ...report }, notes: [] }
    },
  })
}
