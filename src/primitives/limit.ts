/** Unit of a limit. Milliseconds, bytes and percent are part of its name. */
export type LimitUnit = 'n' | 'ms' | 'bytes' | 'blocks' | 'levels' | 'gas' | 'wei' | 'percent'

/**
 * A limit of what clients can use. Its name is that of the option, the member and, in kebab case, the flag; types,
 * `--help` and the tables of docs/cli.md and docs/operations.md derive from the row.
 */
export interface Limit<Value extends number | bigint> {
  readonly unit: LimitUnit
  readonly fallback: Value
  /** The bounded quantity, as in `requests in one batch`. */
  readonly bounds: string
  /** What a client sees when the limit is reached. */
  readonly reached: string
  readonly minimum: Value
  /** Absent: any value. */
  readonly maximum?: Value | undefined
}

/** Limits by name. */
export type LimitTable = Readonly<Record<string, Limit<number> | Limit<bigint>>>

/** The values of a table. */
export type LimitValues<Table extends LimitTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Limit<infer Value> ? Value : never
}

type Widened<Value> = Value extends number ? number : bigint

/**
 * A row of a table.
 *
 * @param range minimum and maximum. Default: from 1.
 * @example limit('n', 1_000, 'requests in one batch', '-32600 for the whole batch')
 */
export function limit<Value extends number | bigint>(
  unit: LimitUnit,
  fallback: Value,
  bounds: string,
  reached: string,
  [minimum, maximum]: readonly [minimum?: Widened<Value>, maximum?: Widened<Value>] = [],
): Limit<Widened<Value>> {
  const one = (typeof fallback === 'bigint' ? 1n : 1) as Widened<Value>
  return { unit, fallback: fallback as Widened<Value>, bounds, reached, minimum: minimum ?? one, maximum }
}

/** The defaults of a table. */
export function limitDefaults<Table extends LimitTable>(table: Table): LimitValues<Table> {
  const entries = Object.entries(table).map(([name, { fallback }]) => [name, fallback])
  return Object.fromEntries(entries) as LimitValues<Table>
}

/** The members of `values` that a table names. */
export function pickLimits<Table extends LimitTable>(table: Table, values: LimitValues<Table>): LimitValues<Table> {
  return Object.fromEntries(Object.keys(table).map((name) => [name, values[name]])) as LimitValues<Table>
}
