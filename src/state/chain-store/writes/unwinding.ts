import { type Bytes, bytesToHex, EMPTY_BYTES } from '../../../primitives/hex.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import { sameBytes } from '../../trie/entry-change.ts'
import { type ChangedValue, readChanges } from '../encoding/block-changes.ts'
import { blockKey, heightIn, historyHeightIn, historyKey, startsWith } from '../encoding/keys.ts'
import { FINALITY_KEY, FINALIZED_KEY } from '../encoding/metadata-keys.ts'
import type { TableName } from '../encoding/tables.ts'
import { put, putOrRemove, remove, type Write } from '../encoding/write.ts'
import { hasPrelude } from '../readers/preludes.ts'
import { blockRemovals } from './block-writes.ts'

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
    if (hasPrelude(reader, height)) {
      yield* alterationRemovals(reader, 'accountHistory', changes.accounts, height - 1)
      yield* alterationRemovals(reader, 'storageHistory', changes.storage, height - 1)
      yield remove('preludes', blockKey(height))
    }
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

/**
 * Removes the alterations of block `number` from history. Consecutive entries of an item differ, so its own value is in
 * an older entry if the block did not change it.
 */
function* alterationRemovals(
  reader: KeyValueReader<TableName>,
  table: 'accountHistory' | 'storageHistory',
  changed: readonly ChangedValue[],
  number: number,
): Iterable<Write> {
  for (const [item, before] of changed) {
    const [own, older] = reader.range(table, { from: historyKey(item, number), limit: 2 })
    if (own === undefined || !startsWith(own.key, item) || historyHeightIn(own.key) !== number) continue
    const olderValue = older !== undefined && startsWith(older.key, item) ? older.value : EMPTY_BYTES
    yield sameBytes(olderValue, before) ? remove(table, own.key) : put(table, own.key, before)
  }
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
