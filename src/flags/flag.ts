/** A value that the parser of a flag refuses. Commander shows the message of errors with this code. */
export class FlagValueError extends Error {
  readonly code = 'commander.invalidArgument'
  readonly exitCode = 1
  override readonly name = 'FlagValueError'
}

/** One flag of a command. The parser, `--help` and `docs/cli.md` derive from it. */
export interface Flag<T> {
  /** Name of the value, as in `bytes`; `undefined` for a switch. */
  readonly value?: string
  /** Value of the flag when it is given without one; absent: a value is required. */
  readonly preset?: T
  readonly description: string
  /** Outcome for a client that reaches this limit. Absent: the flag is no limit. */
  readonly reached?: string
  /** The switch has a counterpart, `--no-…`, that sets it to false. */
  readonly isNegatable?: boolean
  readonly parse?: (text: string) => T
  readonly choices?: readonly string[]
  /** The values of all occurrences are joined. Default: the last occurrence wins. */
  readonly isRepeatable?: boolean
  /** The default. */
  readonly fallback: T
  /** Text of the default in documents; default: the value itself. */
  readonly shown?: string
  /** Environment variable with the same effect. Default: by command and flag (`cli/configuration/variables.ts`). */
  readonly env?: string
  /** The value is kept out of reports and messages. */
  readonly isSecret?: boolean
}

/** Flags by option name: `maxBodyBytes` is `--max-body-bytes`. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>

export interface FlagGroup {
  readonly title: string
  readonly flags: FlagTable
}

/** The parsed values of a flag table. */
export type ValuesOf<Table extends FlagTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Flag<infer T> ? T : never
}

/** Infers the type of a flag's value. */
export function flag<T>(definition: Flag<T>): Flag<T> {
  return definition
}

/** @example flagName('maxBodyBytes') // '--max-body-bytes' */
export function flagName(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** @example usageOf('port', { value: 'port', … }) // '--port <port>' */
export function usageOf(name: string, { value, preset }: Flag<unknown>): string {
  if (value === undefined) return flagName(name)
  return `${flagName(name)} ${preset === undefined ? `<${value}>` : `[${value}]`}`
}

/** Description of a flag and, if it is a limit, the outcome for a client that reaches it. */
export function descriptionOf({ description, reached }: Flag<unknown>): string {
  return reached === undefined ? description : `${description}; when reached: ${reached}`
}

/** Text of a flag's default; empty without one. */
export function shownDefault({ value, fallback, shown }: Flag<unknown>): string {
  if (shown !== undefined) return shown
  if (value === undefined || fallback === undefined) return ''
  return Array.isArray(fallback) ? fallback.join(',') : String(fallback)
}

/** The defaults of a flag table. */
export function fallbacksOf<Table extends FlagTable>(table: Table): ValuesOf<Table> {
  const entries = Object.entries(table).map(([name, { fallback }]) => [name, fallback])
  return Object.fromEntries(entries) as ValuesOf<Table>
}
