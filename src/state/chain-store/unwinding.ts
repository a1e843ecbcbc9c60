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

const HEIGHT_BYTES = 8

/** The finalized block at the last unwind: it stays finalized, however far the tip went back. */
export function finalizedBefore(reader: KeyValueReader<TableName>): number {
  const value = reader.get('metadata', FINALIZED_KEY)
  return value === undefined ? 0 : heightIn(value)
}

/** Finality as of the last change of its depth. */
export interface NotedFinality {
  readonly depth: number
  /** Blocks up to this one stay finalized, whatever the depth. */
  readonly finalized: number
}

export function notedFinality(reader: KeyValueReader<TableName>): NotedFinality | undefined {
  const value = reader.get('metadata', FINALITY_KEY)
  return value && { depth: heightIn(value), finalized: heightIn(value, HEIGHT_BYTES) }
}

export function finalityWrite({ depth, finalized }: NotedFinality): Write {
  return put('metadata', FINALITY_KEY, Buffer.concat([blockKey(depth), blockKey(finalized)]))
}

/**
 * @param number of the newest block from now on
 * @param finality the finalized block: less than before only when a replica must unwind a finalized block
 */
export function* finalizedWrites(
  reader: KeyValueReader<TableName>,
  number: number,
  { finalized, isReplayed = false }: { readonly finalized: number; readonly isReplayed?: boolean },
): Iterable<Write> {
  if (finalized !== finalizedBefore(reader)) yield put('metadata', FINALIZED_KEY, blockKey(finalized))
  const noted = notedFinality(reader)
  if (!isReplayed && noted !== undefined && noted.finalized > number) {
    yield finalityWrite({ ...noted, finalized: number })
  }
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
