import { Option } from 'commander'
import { GENESIS_FLAGS } from '../../flags/chain-flags.ts'
import { type Flag, type FlagGroup, flagName, shownDefault, usageOf } from '../../flags/flag.ts'
import { datadir } from '../../flags/network-flags.ts'

/** The commander option of a flag. */
export function optionOf(name: string, definition: Flag<unknown>, group?: string): Option {
  const { preset, description, parse, choices, fallback, env } = definition
  // Commander shows no default for an undefined fallback.
  const about = fallback === undefined ? `${description} (default: ${shownDefault(definition)})` : description
  const option = new Option(usageOf(name, definition), about)
  if (preset !== undefined) option.preset(preset)
  if (choices !== undefined) option.choices(choices)
  // Commander also passes the previous value; the last occurrence of a flag wins.
  else if (parse !== undefined && definition.isRepeatable === true) {
    option.argParser((text: string, before: unknown) => [...(before as unknown[]), ...(parse(text) as unknown[])])
  } else if (parse !== undefined) option.argParser((text: string) => parse(text))
  // Commander itself gives `x` the default true for `--no-x`. `|| undefined` keeps an empty default out of the help.
  if (!option.negate) option.default(fallback, shownDefault(definition) || undefined)
  if (env !== undefined) option.env(env)
  return group === undefined ? option : option.helpGroup(`${group}:`)
}

export function optionsOf({ title, flags }: FlagGroup): readonly Option[] {
  return Object.entries(flags).flatMap(([name, definition]) => switchesOf(name, definition, title))
}

/** The option of a flag, and its counterpart if it has one. */
function switchesOf(name: string, definition: Flag<unknown>, group?: string): readonly Option[] {
  const option = optionOf(name, definition, group)
  // Commander gives the counterpart no default of its own where it follows the switch.
  return definition.isNegatable === true
    ? [option, new Option(flagName(name).replace('--', '--no-')).hideHelp()]
    : [option]
}

/** The flags of `GenesisOptions`, for every command that opens a chain. */
export function genesisFlags(): readonly Option[] {
  return Object.entries(GENESIS_FLAGS).flatMap(([name, definition]) => switchesOf(name, definition))
}

/** Directory of the chains, with a folder per network. */
export function datadirFlag(): Option {
  return optionOf('datadir', datadir)
}
