import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import type { ValuesOf } from '../../flags/flag.ts'
import type { STOCK_NODE_FLAGS } from '../../flags/stock-flags.ts'
import { withRedactedUrls } from '../../primitives/text/url-credentials.ts'
import { optionsOf } from '../process/command-options.ts'
import { manyLines } from '../terminal/terminal-text.ts'
import type { StockAction } from './actions/stock-action.ts'
import { JsonRpc } from './chain/json-rpc.ts'
import type { Report } from './report/report.ts'
import { STOCK_COMMANDS, type StockCommand } from './stock-commands.ts'
import { EXIT_CODES, StockError } from './terms/stock-error.ts'

/** Output and exit of a command. */
export interface CommandParts {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Exits; in a process it does not return. */
  readonly exit: (code: number) => void
  /** As `exit`, after a completed command: output may still be in transit. */
  readonly setExitCode: (code: number) => void
}

type NodeOptions = ValuesOf<typeof STOCK_NODE_FLAGS>

const WRONG_USAGE = 2

const PROCESS: CommandParts = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  exit: (code) => process.exit(code),
  setExitCode: (code) => {
    process.exitCode = code
  },
}

/** `tickertape stock`, with a command for each corporate action. */
export function stockCommand(parts: CommandParts = PROCESS): Command {
  const commands = STOCK_COMMANDS.map((definition) => commandOf(definition, parts))
  const group = configured(new Command('stock'), parts)
    .description(
      'Create stocks on a running node, issue, redeem, split, transfer, pause, price and announce, and read them',
    )
    .helpCommand(false)
    .addHelpText('after', exitCodesText())
  for (const command of commands) group.addCommand(command)
  return group
}

function commandOf(definition: StockCommand, parts: CommandParts): Command {
  const { name, description, args, flags, groups, examples } = definition
  const usage = ['tickertape stock', name, ...args.map((argument) => argument.name), '[flags]'].join(' ')
  const command = configured(new Command(name), parts)
    .description(description)
    .showHelpAfterError(`Usage: ${usage}\n(tickertape stock ${name} --help lists every flag)`)
    .addHelpText(
      'after',
      `${exitCodesText()}\nExamples:\n${examples.map((example) => `  $ tickertape stock ${example}\n`).join('')}`,
    )
    .action(async (...given: unknown[]) => {
      const texts = given.slice(0, args.length) as string[]
      await run(definition, texts, given[args.length] as NodeOptions, parts)
    })
  for (const argument of args) command.argument(argument.name, argument.description)
  for (const option of optionsOf({ flags })) command.addOption(option)
  for (const option of groups.flatMap(optionsOf)) command.addOption(option)
  return command
}

function configured(command: Command, { out, err, exit }: CommandParts): Command {
  return command
    .configureOutput({ writeOut: out, writeErr: err, outputError: (text, write) => write(withRedactedUrls(text)) })
    .exitOverride(({ exitCode, code }) => exit(exitCode === 0 && code !== 'commander.help' ? 0 : WRONG_USAGE))
}

function exitCodesText(): string {
  const lines = Object.entries(EXIT_CODES).map(([code, meaning]) => `  ${code}  ${meaning}\n`)
  return `\nExit codes:\n${lines.join('')}`
}

async function run(
  { load }: StockCommand,
  args: readonly string[],
  options: NodeOptions,
  { out, err, setExitCode }: CommandParts,
): Promise<void> {
  try {
    const action = (await load()) as StockAction<NodeOptions>
    const rpc = new JsonRpc({ url: options.rpcUrl, timeoutMs: options.requestTimeoutMs })
    const print = ({ text, value }: Report) => out(options.json ? `${toJson(value)}\n` : `${manyLines(text)}\n`)
    const context = { rpc, now: () => performance.now(), sleep: (wait: number) => sleep(wait), randomBytes, print }
    const report = await action(context, args, options)
    if (report !== undefined) print(report)
  } catch (error) {
    if (!(error instanceof StockError)) throw error
    const { code, message, details, exitCode } = error
    err(`tickertape: ${manyLines(message)}\n`)
    if (options.json) out(`${toJson({ error: { code, message, ...details } })}\n`)
    setExitCode(exitCode)
  }
}

/** Numbers of the chain as decimal strings: JSON numbers would round them. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? String(member) : member))
}
