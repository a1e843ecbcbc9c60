import { Option } from 'commander'

/** One flag of a command: what commander reads, what `--help` shows and what `docs/cli.md` says all come from it. */
export interface Flag<T> {
  /** What its value is called, as in `bytes`; a switch has none. */
  readonly value?: string
  readonly description: string
  readonly parse?: (text: string) => T
  readonly choices?: readonly string[]
  /** The value when it is not given. */
  readonly fallback: T
  /** How the fallback is shown, where it is not its own text. */
  readonly shown?: string
  /** Environment variable that stands in for it. */
  readonly env?: string
}

/** Flags by the name of the option that they set: `maxBodyBytes` is `--max-body-bytes`. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>

export interface FlagGroup {
  readonly title: string
  readonly flags: FlagTable
}

/** What a table's flags are read as. */
export type ValuesOf<Table extends FlagTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Flag<infer T> ? T : never
}

/** Keeps the type of a flag's value. */
export function flag<T>(definition: Flag<T>): Flag<T> {
  return definition
}

/** @example flagName('maxBodyBytes') // '--max-body-bytes' */
export function flagName(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** How the value is shown that holds when a flag is not given; empty where there is none. */
export function shownDefault({ value, fallback, shown }: Flag<unknown>): string {
  if (shown !== undefined) return shown
  if (value === undefined || fallback === undefined) return ''
  return Array.isArray(fallback) ? fallback.join(',') : String(fallback)
}

/** What commander reads a flag with. */
export function optionOf(name: string, definition: Flag<unknown>, group?: string): Option {
  const { value, description, parse, choices, fallback, env } = definition
  // Commander shows no default of a flag that has no value.
  const about = fallback === undefined ? `${description} (default: ${shownDefault(definition)})` : description
  const option = new Option(value === undefined ? flagName(name) : `${flagName(name)} <${value}>`, about)
  if (choices !== undefined) option.choices(choices)
  // Commander hands the value before as well; a flag that is given twice has its last value.
  else if (parse !== undefined) option.argParser((text: string) => parse(text))
  // An empty text would be shown as such.
  option.default(fallback, shownDefault(definition) || undefined)
  if (env !== undefined) option.env(env)
  return group === undefined ? option : option.helpGroup(`${group}:`)
}

export function optionsOf({ title, flags }: FlagGroup): readonly Option[] {
  return Object.entries(flags).map(([name, definition]) => optionOf(name, definition, title))
}

/** The values of a table when nothing is given. */
export function fallbacksOf<Table extends FlagTable>(table: Table): ValuesOf<Table> {
  const entries = Object.entries(table).map(([name, { fallback }]) => [name, fallback])
  return Object.fromEntries(entries) as ValuesOf<Table>
}
