import { Command, Help, Option } from 'commander'
import { FAILOVER_FLAGS } from '../../flags/failover-flags.ts'
import { flagName } from '../../flags/flag.ts'
import { FORK_FLAGS } from '../../flags/fork-flags.ts'
import { miningModeOf } from '../../flags/mining-flags.ts'
import { NATS_FLAGS } from '../../flags/nats-flags.ts'
import { START_FLAG_GROUPS, type StartOptions } from '../../flags/start-flags.ts'
import { withRedactedUrls } from '../../primitives/text/url-credentials.ts'
import { contradictionOf } from '../../service/contradictions.ts'
import { nearestName } from '../configuration/nearest-name.ts'
import { optionsOf } from '../process/command-options.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import { withFlagHint } from './flag-hints.ts'

export const START_EXAMPLES = `
Examples:
  $ npm start                                       main network on http://127.0.0.1:8545
  $ npm start -- --ephemeral --compat anvil --mining auto      in place of Anvil
  $ npm start -- --ephemeral --fork-url https://rpc.example    a fork of another chain
  $ npm start -- --demo                             with traffic, to look at in the studio
  $ npm start -- --testnet                          and the test network on http://127.0.0.1:8546
  $ npm start -- --datadir ./chain --history 1000    keep the state of the last 1000 blocks
  $ npm start -- --port 0 --ephemeral --json-ready  any free port; one line of JSON says which
  $ npm start -- --block-time 1000 --flashblock-interval 100
  $ npm start -- --nats nats://10.0.0.1:4222,10.0.0.2:4222,10.0.0.3:4222 --nats-replicas 3 --failover
  $ npm start -- --cors-origins https://app.example --http-api eth,net,web3
`

/** Flags that have no effect without another one; giving one alone is an error. */
const DEPENDENT_FLAGS = [
  { needed: 'forkUrl', dependent: Object.keys(FORK_FLAGS).filter((name) => name !== 'forkUrl') },
  { needed: 'nats', dependent: Object.keys(NATS_FLAGS) },
  { needed: 'failover', dependent: Object.keys(FAILOVER_FLAGS) },
] as const

/** Runs a command whose options are valid. */
export type RunWith<Options> = (options: Options) => Promise<void>

// Loaded on demand: other commands do not need the node.
const startNode: RunWith<StartOptions> = async (options) => (await import('./start.ts')).start(options)

/** `tickertape start`, the default command. */
export function startCommand(run: RunWith<StartOptions> = startNode): Command {
  let miningText: string | undefined
  let isNoMiningGiven = false
  const command = endingOnWrongUsage(new Command('start'))
    .description('Run the main network, and with --testnet the test network beside it')
    .addHelpText('after', START_EXAMPLES)
    // An unknown command arrives here as an argument.
    .allowExcessArguments()
    .action(async (options: StartOptions, { args: [unknown] }: Command) => {
      if (unknown !== undefined) {
        const nearest = nearestName(unknown, command.parent?.commands.map((one) => one.name()) ?? [])
        const hint = nearest === undefined ? 'tickertape --help lists all' : `did you mean ${nearest}?`
        command.error(`error: unknown command '${unknown}': ${hint}`)
      }
      // Both set one option, so that the last one would win.
      if (isNoMiningGiven && miningText !== undefined && miningText !== 'manual') {
        command.error(`error: --no-mining contradicts --mining ${miningText}: give one of them`)
      }
      // A fork of the newest block is another chain with each start: only a named directory is kept.
      const isKept = options.forkUrl === undefined || command.getOptionValueSource('datadir') !== 'default'
      const given = {
        ...options,
        ephemeral: options.ephemeral || !isKept,
        mining: miningModeOf(options),
        noForkCache: (options as { readonly forkCache?: boolean }).forkCache === false,
      }
      // The environment may name a directory for all nodes of a machine.
      const isDirectoryGiven = ['cli', 'config'].includes(command.getOptionValueSource('datadir') ?? '')
      if (options.ephemeral && isDirectoryGiven) {
        command.error('error: --ephemeral contradicts --datadir: a temporary directory is deleted at exit')
      }
      const contradiction = contradictionOf(given)
      if (contradiction !== undefined) command.error(`error: ${contradiction}`)
      for (const { needed, dependent } of DEPENDENT_FLAGS) {
        if (options[needed]) continue
        // Environment variables may be shared by all nodes of a machine, and are no error.
        const useless = dependent.find((name) => ['cli', 'config'].includes(command.getOptionValueSource(name) ?? ''))
        if (useless !== undefined)
          command.error(`error: ${flagName(useless)} has no effect without ${flagName(needed)}`)
      }
      await run(given)
    })
  for (const option of START_FLAG_GROUPS.flatMap(optionsOf)) command.addOption(option)
  command.on('option:mining', (text: string) => {
    miningText = text
  })
  command.on('option:no-mining', () => {
    isNoMiningGiven = true
  })
  command.configureOutput({ outputError: (text, write) => write(withFlagHint(withRedactedUrls(text))) })
  return withShortHelp(command, START_EXAMPLES)
}

/** Flags that `--help` shows: what most starts need. `--help-all` shows every one. */
const COMMON_FLAGS: ReadonlySet<string> = new Set([
  ...['host', 'port', 'testnet', 'datadir', 'ephemeral', 'history'],
  ...['blockTime', 'flashblockInterval', 'mining', 'compat'],
  ...['chainId', 'hardfork', 'gasLimit', 'accounts', 'balance', 'mnemonic'],
  ...['forkUrl', 'forkBlockNumber', 'state', 'autoImpersonate', 'demo'],
  ...['corsOrigins', 'exposeDev', 'abi', 'quiet', 'silent', 'logLevel'],
])

const HELP_ALL = new Option('--help-all', 'show every flag, with the limits of requests, connections and the pool')

/** Descriptions are wrapped even beside the longest flag. Pipes have no width. */
const HELP = { minWidthToWrap: 20, helpWidth: process.stdout.columns ?? 100 }

/** Makes `--help` show the common flags of a command, and `--help-all` every flag. */
function withShortHelp(command: Command, examples: string): Command {
  command.addOption(HELP_ALL).on('option:help-all', () => {
    process.stdout.write(`${completeHelp(command)}${examples}`)
    process.exit(0)
  })
  return command.configureHelp({ ...HELP, formatHelp: formatShort })
}

/** The help with every flag. */
export function completeHelp(command: Command): string {
  const help = Object.assign(new Help(), HELP)
  return help.formatHelp(command, help)
}

/** Narrowed only here: suggestions for misspelt flags know every flag. */
function formatShort(command: Command, help: Help): string {
  const visibleOptions = () => help.visibleOptions(command).filter(isCommon)
  const short: Help = Object.create(help, { visibleOptions: { value: visibleOptions } })
  return Help.prototype.formatHelp.call(short, command, short)
}

function isCommon(option: Option): boolean {
  return option === HELP_ALL || option.long === '--help' || COMMON_FLAGS.has(option.attributeName())
}
