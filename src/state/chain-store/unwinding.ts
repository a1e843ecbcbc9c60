import type { Bytes } from '../../primitives/hex.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import type { KeyValueReader } from '../../storage/key-value.ts'
import { blockRemovals } from './block-writes.ts'
import { type ChangedValue, readChanges } from './encoding/block-changes.ts'
import { blockKey, heightIn, historyKey } from './encoding/keys.ts'
import type { TableName } from './tables.ts'
import { put, putOrRemove, remove, type Write } from './write.ts'

/** Key in `metadata`: the finalized block at the last unwind; absent if there was none or it was genesis. */
export const FINALIZED_KEY = Buffer.from('finalized', 'ascii')
/** In `metadata`: the newest finality depth, and the block that an earlier one made final. */
export const FINALITY_KEY = Buffer.from('finality', 'ascii')

/** The finalized block at the last unwind: it stays finalized, however far the tip went back. */
export function finalizedBefore(reader: KeyValueReader<TableName>): number {
  const value = reader.get('metadata', FINALIZED_KEY)
  return value === undefined ? 0 : heightIn(value)
}

/** @param finalized less than before only when a replica must unwind a finalized block */
export function* finalizedWrites(reader: KeyValueReader<TableName>, finalized: number): Iterable<Write> {
  if (finalized !== finalizedBefore(reader)) yield put('metadata', FINALIZED_KEY, blockKey(finalized))
}

/** Unwinds the blocks from `newest` down to `number`: every table is restored to when `number` was newest. */
export function* unwindWrites(reader: KeyValueReader<TableName>, newest: number, number: number): Iterable<Write> {
  const accounts = new OldestValues()
  const storage = new OldestValues()
  for (let height = newest; height > number; height--) {
    yield* blockRemovals(reader, height)
    const changes = readChanges(reader, height)
    for (const changed of changes.accounts) {
      accounts.add(changed)
      yield remove('accountHistory', historyKey(changed[0], height))
    }
    for (const changed of changes.storage) {
      storage.add(changed)
      yield remove('storageHistory', historyKey(changed[0], height))
    }
    for (const hash of changes.code) yield remove('code', hash)
    yield remove('changes', blockKey(height))
  }
  for (const [key, before] of accounts.values()) yield putOrRemove('accounts', key, before)
  for (const [key, before] of storage.values()) yield putOrRemove('storage', key, before)
}

/** Blocks are unwound newest first, so the last value given for a key is the one to restore. */
class OldestValues {
  readonly #byKey = new Map<string, readonly [key: Bytes, before: Bytes]>()

  add(changed: ChangedValue): void {
    this.#byKey.set(bytesToHex(changed[0]), changed)
  }

  values(): Iterable<ChangedValue> {
    return this.#byKey.values()
  }
}
