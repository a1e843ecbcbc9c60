import { DEPOSIT_EXAMPLES, DEPOSIT_EXITS } from '../../src/cli/commands/deposit-command.ts'
import { STOCKS_EXAMPLES, STOCKS_EXITS } from '../../src/cli/commands/stocks-command.ts'
import { DEBUG_EXAMPLES, DEBUG_EXITS } from '../../src/cli/debug/debug-command.ts'
import { DEBUG_FLAGS } from '../../src/cli/debug/debug-flags.ts'
import { MCP_EXAMPLES, MCP_EXITS } from '../../src/cli/mcp/mcp-command.ts'
import { MCP_FLAGS } from '../../src/cli/mcp/mcp-flags.ts'
import { COMMAND_OUTPUTS } from '../../src/cli/output/command-outputs.ts'
import { COVERAGE_EXAMPLES, COVERAGE_EXITS } from '../../src/cli/reports/coverage-command.ts'
import { GAS_REPORT_EXAMPLES, GAS_REPORT_EXITS } from '../../src/cli/reports/gas-report-command.ts'
import { COVERAGE_FLAGS, GAS_REPORT_FLAGS } from '../../src/cli/reports/report-flags.ts'
import { STOCK_COMMANDS, STOCK_FLAG_GROUPS, type StockCommand } from '../../src/cli/stock/stock-commands.ts'
import { EXIT_CODE_OF, EXIT_CODES } from '../../src/cli/stock/terms/stock-error.ts'
import { VERIFY_SOURCE_EXAMPLES, VERIFY_SOURCE_EXITS } from '../../src/cli/verify-source/verify-source-command.ts'
import { VERIFY_SOURCE_FLAGS } from '../../src/cli/verify-source/verify-source-flags.ts'
import { DEPOSIT_FLAGS } from '../../src/flags/deposit-flags.ts'
import {
  descriptionOf,
  type Flag,
  type FlagGroup,
  type FlagTable,
  shownDefault,
  usageOf,
} from '../../src/flags/flag.ts'
import { REPLICA_FLAG_GROUPS, START_FLAG_GROUPS } from '../../src/flags/start-flags.ts'
import { STOCKS_FLAG_GROUPS } from '../../src/flags/stocks-flags.ts'
import { capitalized, code, page, table } from './markdown.ts'

const INTRODUCTION = `\`npm start -- [flags]\`, or \`tickertape start [flags]\`. The default limits are at least as strict as go-ethereum's.
An invalid flag ends every command with exit code 2 and a message, before anything is changed. Each flag can also be given by an
environment variable (\`--block-time\`: \`TICKERTAPE_BLOCK_TIME\`), those of \`start\`, \`replica\` and \`stocks\` also by a file: [operations.md](operations.md#configuration).`

const EXITS = `Exit codes: 0 after SIGTERM or SIGINT (requests in progress are completed within five seconds), 1 when the node cannot start or
continue, and after a second signal. A node with \`--state\` or \`--dump-state\` first completes
[its file](developer-tools.md#state-files), however long that takes. For the flags of \`tickertape watch\`, \`verify\`,
\`execute\`, \`verify-supply\`, \`export\`, \`import\`, \`backup\` and \`restore\` see \`tickertape COMMAND --help\`.`

const DEPOSIT_INTRODUCTION = `\`tickertape deposit [flags]\` makes a deposit on a running node of the profile \`op\` or \`denim\`, as if a user had called the portal
on layer 1 ([profiles.md](profiles.md#deposits)). It waits for the block that begins with the deposit, and prints its hash.

\`\`\`sh
${DEPOSIT_EXAMPLES.map((example) => `tickertape ${example}`).join('\n')}
\`\`\`

${DEPOSIT_EXITS}`

const VERIFY_SOURCE_INTRODUCTION = `\`tickertape verify-source ADDRESS [flags]\` verifies the sources of a contract on a running node, from the build information of a
project ([sources.md](sources.md)).

\`\`\`sh
${VERIFY_SOURCE_EXAMPLES.map((example) => `tickertape ${example}`).join('\n')}
\`\`\`

${VERIFY_SOURCE_EXITS}`

const DEBUG_INTRODUCTION = `\`tickertape debug TRANSACTION [flags]\` steps through a transaction by lines of Solidity ([debugger.md](debugger.md)).

\`\`\`sh
${DEBUG_EXAMPLES.map((example) => `tickertape ${example}`).join('\n')}
\`\`\`

${DEBUG_EXITS}`

const REPORTS_INTRODUCTION = `\`tickertape gas-report\` and \`tickertape coverage\` print what transactions on a running node cost and which lines of contracts ran
([gas-and-coverage.md](gas-and-coverage.md)).

\`\`\`sh
${[...GAS_REPORT_EXAMPLES, ...COVERAGE_EXAMPLES].map((example) => `tickertape ${example}`).join('\n')}
\`\`\`

${GAS_REPORT_EXITS} \`coverage\`: ${COVERAGE_EXITS.replace(/^E/, 'e')}`

const MCP_INTRODUCTION = `\`tickertape mcp [flags]\` serves the Model Context Protocol on standard input and output: tools for agents at a running node
([mcp.md](mcp.md)).

\`\`\`sh
${MCP_EXAMPLES.map((example) => `tickertape ${example}`).join('\n')}
\`\`\`

${MCP_EXITS}`

const STOCK_INTRODUCTION = `\`tickertape stock COMMAND\` sends JSON-RPC requests to a running node: Tickertape, or any other with the stock factory
([stocks.md](stocks.md); tutorial: [guides/stocks.md](guides/stocks.md)). A change is simulated before it is sent, so that a
revert costs nothing and is reported with its reason. Amounts are decimal and exact.

With \`--json\` a change is \`{dryRun, sender, gasUsed, transaction, before, after, events}\`; \`before\` and \`after\` have the form of
\`stock\` in the output of \`show\`; those of prices and sessions have members of the feed. Amounts and multipliers are strings; numbers in
\`events\` are in base units. \`show --watch\` and \`resume --share-price\` print several lines of JSON. An error is
\`{error: {code, message, ...}}\`, with the message also on standard error; for a revert it includes the contract's \`error\` and its
\`arguments\`.`

const REPLICA_INTRODUCTION = `\`tickertape replica --from URL [flags]\` follows a node ([feed.md](feed.md#the-replica-stream)). Besides
the flags below it has those of \`start\` in the groups "Genesis" (equal to those of the followed node), "Access",
"Limits of a request", "Limits of connections", "Replicas" (for its own replicas) and "Logs". It ends with exit code 1 when the
followed node has another chain or another history.`

const STOCKS_INTRODUCTION = `\`tickertape stocks [flags]\` serves the supply API of tokenized stocks in front of any Ethereum node:
[stocks-alone.md](stocks-alone.md).

\`\`\`sh
${STOCKS_EXAMPLES.map((example) => `tickertape ${example}`).join('\n')}
\`\`\``

/** `docs/cli.md`: every flag of `start`, `replica` and `stocks`, and the commands for stocks. */
export function cliPage(): string {
  return page(
    'Flags',
    '`src/flags` and `src/cli/stock/stock-commands.ts`',
    INTRODUCTION,
    ...START_FLAG_GROUPS.map(section),
    EXITS,
    '# Replicas',
    REPLICA_INTRODUCTION,
    ...REPLICA_FLAG_GROUPS.slice(0, 2).map(section),
    '# The stock service alone',
    STOCKS_INTRODUCTION,
    ...STOCKS_FLAG_GROUPS.map(section),
    STOCKS_EXITS,
    '# Deposits',
    DEPOSIT_INTRODUCTION,
    flagTable(DEPOSIT_FLAGS),
    '# Verifying sources',
    VERIFY_SOURCE_INTRODUCTION,
    flagTable(VERIFY_SOURCE_FLAGS),
    '# The debugger',
    DEBUG_INTRODUCTION,
    flagTable(DEBUG_FLAGS),
    '# Gas reports and coverage',
    REPORTS_INTRODUCTION,
    `## \`gas-report\`\n\n${flagTable(GAS_REPORT_FLAGS)}`,
    `## \`coverage\`\n\n${flagTable(COVERAGE_FLAGS)}`,
    '# Tools for agents',
    MCP_INTRODUCTION,
    flagTable(MCP_FLAGS),
    '# Commands for stocks',
    STOCK_INTRODUCTION,
    ...STOCK_COMMANDS.map(commandSection),
    ...STOCK_FLAG_GROUPS.map(section),
    `## Exit codes of \`tickertape stock\`\n\n${table(['exit code', 'meaning', '`code` of the error'], exitRows())}`,
    '# Output for programs',
    PROGRAMS_INTRODUCTION,
    table(['command', 'flag', 'exit codes'], programRows()),
  )
}

const PROGRAMS_INTRODUCTION = `Each of these commands prints lines of JSON on standard output with the flag in the table. [command-output.schema.json](command-output.schema.json)
has a JSON Schema (2020-12) of a line for each command, by its name, in \`$defs\`. A version may add members, which its schema has; the
meaning of members and of exit codes stays. An error is \`{error: {code, message, …}}\`; an unknown flag or a missing argument prints no JSON. Messages for people
go to standard error.`

/** The commands of \`tickertape stock\` share their exit codes, which have a table of their own. */
function programRows(): string[][] {
  return COMMAND_OUTPUTS.filter(({ command }) => !command.startsWith('stock ')).map(({ command, flag, exits }) => {
    const codes = Object.entries(exits).map(([exit, meaning]) => `${exit}: ${meaning}`)
    return [code(command), code(flag), codes.join('; ')]
  })
}

function exitRows(): string[][] {
  return Object.entries(EXIT_CODES).map(([exitCode, meaning]) => {
    const errors = Object.entries(EXIT_CODE_OF).filter(([, its]) => its === Number(exitCode))
    return [exitCode, meaning, errors.map(([error]) => code(error)).join(', ')]
  })
}

function section({ title, flags }: FlagGroup): string {
  return `## ${title}\n\n${flagTable(flags)}`
}

function commandSection({ name, description, args, flags, groups, examples }: StockCommand): string {
  const parts = [
    `## \`stock ${[name, ...args.map((argument) => argument.name)].join(' ')}\``,
    `${description}. Flags: ${[...(Object.keys(flags).length > 0 ? ['its own'] : []), ...groups.map(({ title }) => title)].join(', ')}.`,
    ...(args.length === 0 ? [] : [table(['argument', 'meaning'], args.map(argumentRow))]),
    ...(Object.keys(flags).length === 0 ? [] : [flagTable(flags)]),
    `\`\`\`sh\n${examples.map((example) => `tickertape stock ${example}`).join('\n')}\n\`\`\``,
  ]
  return parts.join('\n\n')
}

function argumentRow({ name, description }: StockCommand['args'][number]): string[] {
  return [code(name), sentence(description)]
}

function flagTable(flags: FlagTable): string {
  return table(['flag', 'meaning', 'default'], Object.entries(flags).map(row))
}

function row([name, flag]: [string, Flag<unknown>]): string[] {
  const { choices, env } = flag
  const notes = [choices && `One of ${choices.map(code).join(', ')}.`, env && `Environment: ${code(env)}.`]
  const text = [sentence(descriptionOf(flag)), ...notes].filter(Boolean).join(' ')
  return [code(usageOf(name, flag)), text, shownDefault(flag)]
}

function sentence(text: string): string {
  return `${capitalized(text)}.`
}
