import { type Command, Help, Option } from 'commander'

/** Flags that `--help` shows: what most starts need. `--help-all` shows every one. */
const COMMON_FLAGS: ReadonlySet<string> = new Set([
  ...['host', 'port', 'testnet', 'datadir', 'ephemeral', 'history'],
  ...['blockTime', 'flashblockInterval', 'mining', 'compat'],
  ...['chainId', 'hardfork', 'gasLimit', 'accounts', 'balance', 'mnemonic'],
  ...['forkUrl', 'forkBlockNumber', 'state', 'autoImpersonate'],
  ...['corsOrigins', 'exposeDev', 'abi', 'quiet', 'silent', 'logLevel'],
])

const HELP_ALL = new Option('--help-all', 'show every flag, with the limits of requests, connections and the pool')

/** Descriptions are wrapped even beside the longest flag. Pipes have no width. */
const HELP = { minWidthToWrap: 20, helpWidth: process.stdout.columns ?? 100 }

/** Makes `--help` show the common flags of a command, and `--help-all` every flag. */
export function withShortHelp(command: Command, examples: string): Command {
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
