import { CorruptValueError } from '../../state/chain-store/encoding/checked-value.ts'
import { TrieNodeError } from '../../state/trie/node-reading.ts'
import { StorageError } from '../../storage/storage-error.ts'

/** Damage to the database of a node, as serving layers see it. */
export interface NodeDamage {
  /** Tables with entries that cannot be read. */
  readonly tables: ReadonlySet<string>
  /** Reports a table with such an entry. */
  add(table: string): void
}

/** A change of stored blocks is refused while the database is damaged. */
export class DamagedStoreError extends Error {
  override readonly name = 'DamagedStoreError'
  readonly table: string

  constructor(table: string) {
    super(`table ${table} of the database is damaged: repair it first`)
    this.table = table
  }
}

/** Errors of LMDB for pages that are not what they should be (lmdb.h): page not found, corrupted. */
const LMDB_DAMAGE: readonly unknown[] = [-30797, -30796]

/** The table in which a read met damaged data; `undefined` for other errors. */
export function damagedTableOf(error: unknown): string | undefined {
  if (error instanceof CorruptValueError || error instanceof DamagedStoreError) return error.table
  if (error instanceof TrieNodeError) return 'trieNodes'
  if (error instanceof StorageError && (error.code === 'DATA_DAMAGED' || error.code === 'STORE_DAMAGED')) {
    return error.table ?? 'unknown'
  }
  return error instanceof Error && 'code' in error && LMDB_DAMAGE.includes(error.code) ? 'unknown' : undefined
}
