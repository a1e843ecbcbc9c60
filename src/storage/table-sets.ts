import type { Bytes } from '../primitives/hex.ts'
import type { KeyValueReader } from './key-value.ts'

/** Tables whose content can be replaced as a whole: the file has each of them twice. */
export interface ReplaceableTables<Table extends string> {
  readonly tables: readonly Table[]
  /** Where the store counts replacements, as a big-endian u64; absent: none. Its table is not replaceable. */
  readonly counter: { readonly table: Table; readonly key: Bytes }
}

/** One of the two sets: the first is in use after an even number of replacements. */
export type TableSet = 0 | 1

/** Added to the name of a table in the second set. */
const SECOND = '/2'

/** The tables of a store, and their names in the file. */
export class TableSets<Table extends string> {
  readonly tables: readonly Table[]
  readonly #replaceable: ReplaceableTables<Table> | undefined
  readonly #replaced: ReadonlySet<Table>

  constructor(tables: readonly Table[], replaceable?: ReplaceableTables<Table>) {
    this.tables = tables
    this.#replaceable = replaceable
    this.#replaced = new Set(replaceable?.tables)
  }

  get replaceable(): ReplaceableTables<Table> | undefined {
    return this.#replaceable
  }

  /** Names in the file, those of the second set last. */
  get storedNames(): readonly string[] {
    return [...this.tables, ...Array.from(this.#replaced, (table) => this.storedName(table, 1))]
  }

  storedName(table: Table, set: TableSet): string {
    return set === 1 && this.#replaced.has(table) ? `${table}${SECOND}` : table
  }

  /** The set in use. */
  inUse(reader: Pick<KeyValueReader<Table>, 'get'>): TableSet {
    return (this.replacements(reader) & 1) as TableSet
  }

  /** Completed replacements. */
  replacements(reader: Pick<KeyValueReader<Table>, 'get'>): number {
    if (this.#replaceable === undefined) return 0
    const { table, key } = this.#replaceable.counter
    const value = reader.get(table, key)
    return value === undefined ? 0 : Number(Buffer.from(value).readBigUInt64BE())
  }
}

/** The value of the counter. */
export function replacementCount(count: number): Buffer {
  const value = Buffer.alloc(8)
  value.writeBigUInt64BE(BigInt(count))
  return value
}

/** The table with a name of the file, whichever set it is in. */
export function tableOf(storedName: string): string {
  return storedName.endsWith(SECOND) ? storedName.slice(0, -SECOND.length) : storedName
}
