import type { Bytes } from '../primitives/hex.ts'
import { StorageError } from './storage-error.ts'

/** What LMDB's pages of 4096 bytes have room for, in bytes. */
export const MAXIMUM_KEY_BYTES = 1978

export interface WriteOperation<Table extends string = string> {
  readonly table: Table
  readonly key: Bytes
  /** `undefined` deletes the key. */
  readonly value: Bytes | undefined
}

/**
 * Puts and deletes over several tables, for one atomic commit. A later operation on a key overrules an earlier one.
 * Keys and values are not copied: they must stay as they are until the commit has resolved.
 *
 * @example const batch = new WriteBatch<TableName>(); batch.put('headers', key, header); await store.commit(batch)
 */
export class WriteBatch<Table extends string = string> {
  readonly #operations: WriteOperation<Table>[] = []
  #sealed = false

  get size(): number {
    return this.#operations.length
  }

  /** @throws StorageError `INVALID_KEY` unless the key has 1 to 1978 bytes */
  put(table: Table, key: Bytes, value: Bytes): void {
    this.add({ table, key, value })
  }

  /** Deleting what is not there is fine. */
  delete(table: Table, key: Bytes): void {
    this.add({ table, key, value: undefined })
  }

  /** A put or a delete; errors as `put`. */
  add(operation: WriteOperation<Table>): void {
    if (this.#sealed) throw new Error('the batch was handed over to be committed: begin a new one')
    // Refused here, since a store that finds it half-way through a commit has written the first half.
    const { length } = operation.key
    if (length === 0 || length > MAXIMUM_KEY_BYTES) {
      throw new StorageError('INVALID_KEY', `a key has 1 to ${MAXIMUM_KEY_BYTES} bytes, got ${length}`)
    }
    this.#operations.push(operation)
  }

  /** For the store: the operations in order; none can be added from now on. */
  seal(): readonly WriteOperation<Table>[] {
    this.#sealed = true
    return this.#operations
  }
}
