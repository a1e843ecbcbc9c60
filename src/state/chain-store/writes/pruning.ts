import type { Bytes } from '../../../primitives/hex.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import { readChanges } from '../encoding/block-changes.ts'
import { blockKey, heightIn, historyKey, startsWith } from '../encoding/keys.ts'
import { OLDEST_STATE_KEY } from '../encoding/metadata-keys.ts'
import type { TableName } from '../encoding/tables.ts'
import { put, remove, type Write } from '../encoding/write.ts'
import { hasPrelude } from '../readers/preludes.ts'
import type { BlockStateChanges } from './state-writes.ts'

/** After this many removals, the rest of the backlog waits for the next block. */
const REMOVALS_PER_BLOCK = 5_000

/** The oldest block whose state is retained. */
export function oldestState(reader: KeyValueReader<TableName>): number {
  const value = reader.get('metadata', OLDEST_STATE_KEY)
  return value === undefined ? 0 : heightIn(value)
}

/**
 * The oldest state to retain once some blocks are written. Usually advances by one block, by several when the setting
 * was lowered. Pruned state does not return when it is raised.
 */
export function pruningTarget(
  blocks: readonly Pick<BlockStateChanges, 'number' | 'prelude'>[],
  history: number | 'all',
): number {
  const { number, prelude } = blocks[0]!
  // The parent of the first block stays readable: requests may still use it. A prelude writes to its history.
  return history === 'all' ? 0 : Math.min(blocks.at(-1)!.number - history, number - (prelude === undefined ? 1 : 2))
}

/**
 * Advances the oldest readable state to `target`. A history entry is removed when a newer one is at or below the new
 * horizon; the newest one at or below it stays unless it marks an absence.
 */
export function* pruningWrites(reader: KeyValueReader<TableName>, target: number): Iterable<Write> {
  const before = oldestState(reader)
  let oldest = before
  let removals = 0
  while (oldest < target && removals < REMOVALS_PER_BLOCK) {
    oldest += 1
    // The next block's prelude wrote history of this one.
    for (const number of hasPrelude(reader, oldest + 1) ? [oldest, oldest + 1] : [oldest]) {
      const { accounts, storage } = readChanges(reader, number)
      for (const write of [
        ...supersededEntries(reader, 'accountHistory', accounts, oldest),
        ...supersededEntries(reader, 'storageHistory', storage, oldest),
      ]) {
        removals += 1
        yield write
      }
    }
    yield remove('changes', blockKey(oldest))
  }
  if (oldest > before) yield put('metadata', OLDEST_STATE_KEY, blockKey(oldest))
}

function* supersededEntries(
  reader: KeyValueReader<TableName>,
  table: 'accountHistory' | 'storageHistory',
  changed: readonly (readonly [item: Bytes, before: Bytes])[],
  number: number,
): Iterable<Write> {
  for (const [item] of changed) {
    const [own, older] = reader.range(table, { from: historyKey(item, number), limit: 2 })
    if (own?.value.length === 0 && startsWith(own.key, item)) yield remove(table, own.key)
    if (older !== undefined && startsWith(older.key, item)) yield remove(table, older.key)
  }
}
