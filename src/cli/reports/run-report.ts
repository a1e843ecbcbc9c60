import { Command } from 'commander'
import type { FlagTable } from '../../flags/flag.ts'
import { oneLine } from '../../primitives/text/foreign-text.ts'
import type { ReportRequest } from '../../service/reports/project-reports.ts'
import type { SolidityContract } from '../../solidity/compiled/solidity-contract.ts'
import { optionsOf } from '../process/command-options.ts'
import { endingOnWrongUsage, exitWhenUnread } from '../process/process-end.ts'
import { JsonRpc, JsonRpcError } from '../stock/chain/json-rpc.ts'
import { StockError } from '../stock/terms/stock-error.ts'
import { failureLine } from '../terminal/terminal-text.ts'
import { builtContracts } from './built-contracts.ts'

interface ReportOptions {
  readonly rpcUrl: string
  readonly requestTimeoutMs: number
  readonly json: boolean
  readonly abi: string | undefined
}

/** Output of a report command: `text` for people, `value` for `--json`, `notes` for standard error. */
export interface ReportOutput {
  readonly exitCode: 0 | 1
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
}

/** Requests to the node, and the contracts of the project in the working directory or in the folder of `--abi`. */
interface ReportDeps {
  readonly rpc: JsonRpc
  readonly request: ReportRequest
  readonly contracts: readonly SolidityContract[]
}

interface ReportCommand<Options extends ReportOptions> {
  readonly name: string
  readonly description: string
  readonly exits: string
  readonly examples: readonly string[]
  readonly flags: FlagTable
  run(options: Options, deps: ReportDeps): Promise<ReportOutput>
}

/** A command that prints a report of a running node. */
export function reportCommand<Options extends ReportOptions>(definition: ReportCommand<Options>): Command {
  const { name, description, exits, examples, flags, run } = definition
  const shown = examples.map((example) => `  $ tickertape ${example}\n`).join('')
  const command = endingOnWrongUsage(new Command(name))
    .description(description)
    .showHelpAfterError(`(tickertape ${name} --help lists every flag)`)
    .addHelpText('after', `\n${exits}\n\nExamples:\n${shown}`)
    .action((options: Options) => printed(options, () => run(options, depsOf(options))))
  for (const option of optionsOf({ flags })) command.addOption(option)
  return command
}

async function printed({ json }: ReportOptions, run: () => Promise<ReportOutput>): Promise<void> {
  exitWhenUnread(process.stdout)
  try {
    const { exitCode, text, value, notes } = await run()
    process.stdout.write(json ? `${JSON.stringify(value)}\n` : text.split('\n').map(oneLine).join('\n'))
    for (const note of notes) process.stderr.write(failureLine(note))
    process.exitCode = exitCode
  } catch (error) {
    if (!(error instanceof StockError)) throw error
    const { code, message, details, exitCode } = error
    process.stderr.write(failureLine(message))
    if (json) process.stdout.write(`${JSON.stringify({ error: { code, message, ...details } })}\n`)
    process.exitCode = exitCode
  }
}

function depsOf({ rpcUrl, requestTimeoutMs, abi }: ReportOptions): ReportDeps {
  const rpc = new JsonRpc({ url: rpcUrl, timeoutMs: requestTimeoutMs })
  return {
    rpc,
    request: async (method, params) => rpc.request([method, ...params]).catch(explained),
    contracts: builtContracts(abi, (note) => process.stderr.write(failureLine(note))),
  }
}

function explained(error: unknown): never {
  if (!(error instanceof JsonRpcError) || !error.isMethodMissing) throw error
  throw new StockError(
    'NODE_ERROR',
    'the node makes no reports: they need a development node of Tickertape, beyond loopback one with --expose-dev',
  )
}
