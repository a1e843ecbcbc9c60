import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { IDENTITY_KEY, OLDEST_STATE_KEY } from './encoding/metadata-keys.ts'
import type { TableName } from './encoding/tables.ts'

/** Copies the items of `metadata` to a store of the same chain that has all blocks and states. */
export async function copyMetadata(from: KeyValueStore<TableName>, to: KeyValueStore<TableName>): Promise<void> {
  const batch = new WriteBatch<TableName>()
  for (const { key, value } of withSnapshot(from, (reader) => [...reader.range('metadata')])) {
    if (!IDENTITY_KEY.equals(key) && !OLDEST_STATE_KEY.equals(key)) batch.put('metadata', key, value)
  }
  await to.commit(batch)
}
