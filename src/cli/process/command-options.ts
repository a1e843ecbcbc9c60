import { Option } from 'commander'
import { GENESIS_FLAGS } from '../../flags/chain-flags.ts'
import { descriptionOf, type Flag, type FlagGroup, flagName, shownDefault, usageOf } from '../../flags/flag.ts'
import { FORMER_NAMES } from '../../flags/former-names.ts'
import { datadir } from '../../flags/network-flags.ts'

/** The option of a flag. */
export class FlagOption extends Option {
  /** Environment variable that the flag's row names. Commander's own (`env`) would take every text as true. */
  readonly variable: string | undefined
  readonly isSecret: boolean

  constructor(usage: string, description: string, { env, isSecret = false }: Flag<unknown>) {
    super(usage, env === undefined ? description : `${description} (env: ${env})`)
    this.variable = env
    this.isSecret = isSecret
  }
}

/** The commander option of a flag. */
function optionOf(name: string, definition: Flag<unknown>, group?: string): Option {
  const { preset, parse, choices, fallback } = definition
  const description = descriptionOf(definition)
  // Commander shows no default for an undefined fallback.
  const about = fallback === undefined ? `${description} (default: ${shownDefault(definition)})` : description
  const option = new FlagOption(usageOf(name, definition), about, definition)
  if (preset !== undefined) option.preset(preset)
  if (choices !== undefined) option.choices(choices)
  // Commander also passes the previous value; the last occurrence of a flag wins.
  else if (parse !== undefined && definition.isRepeatable === true) {
    option.argParser((text: string, before: unknown) => [...(before as unknown[]), ...(parse(text) as unknown[])])
  } else if (parse !== undefined) option.argParser((text: string) => parse(text))
  // Commander itself gives `x` the default true for `--no-x`. `|| undefined` keeps an empty default out of the help.
  if (!option.negate) option.default(fallback, shownDefault(definition) || undefined)
  return group === undefined ? option : option.helpGroup(`${group}:`)
}

/** The options of a table: each flag, its counterpart if it has one, and its former name. */
export function optionsOf({ title, flags }: Partial<FlagGroup> & Pick<FlagGroup, 'flags'>): readonly Option[] {
  return Object.entries(flags).flatMap(([name, definition]) => switchesOf(name, definition, title))
}

function switchesOf(name: string, definition: Flag<unknown>, group?: string): readonly Option[] {
  const option = optionOf(name, definition, group)
  const former = FORMER_NAMES_OF.get(name)
  if (former !== undefined) return [option, new FormerOption(former, name, definition)]
  // Commander gives the counterpart no default of its own where it follows the switch.
  return definition.isNegatable === true
    ? [option, new Option(flagName(name).replace('--', '--no-')).hideHelp()]
    : [option]
}

/** Former names by the present one. */
const FORMER_NAMES_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(FORMER_NAMES).map(([former, name]) => [name, former]),
)

/** A flag under its former name: hidden, with a warning that names the present one. */
class FormerOption extends Option {
  readonly #name: string

  constructor(former: string, name: string, definition: Flag<unknown>) {
    super(usageOf(former, definition))
    this.#name = name
    this.hideHelp().argParser((text: string) => {
      process.stderr.write(`tickertape: ${flagName(former)} is now named ${flagName(name)}\n`)
      return definition.parse === undefined ? text : definition.parse(text)
    })
  }

  /** Commander stores the value under this name. */
  override attributeName(): string {
    return this.#name
  }
}

/** The flags of `GenesisOptions`, for every command that opens a chain. */
export function genesisFlags(): readonly Option[] {
  return optionsOf({ flags: GENESIS_FLAGS })
}

/** Directory of the chains, with a folder per network. */
export function datadirFlag(): Option {
  return optionOf('datadir', datadir)
}

/** Which of the two networks. */
export function networkFlag(): Option {
  return new Option('--network <name>', 'which of its networks').choices(['main', 'test']).default('main')
}
