import { blockKey, heightIn } from '../../state/chain-store/encoding/keys.ts'
import type { TableName } from '../../state/chain-store/tables.ts'
import { FINALITY_DEPTH_KEY, FINALIZED_KEY, finalizedBefore } from '../../state/chain-store/unwinding.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { finalizedHeight } from './head-transitions.ts'

/**
 * The block that was finalized when the node ended, which stays finalized though the finality depth may be greater now.
 * Notes the depth, and the block if it is needed at later starts.
 *
 * @param latest the newest sealed block
 * @param stored the newest block of the store
 */
export async function keepFinalized(
  store: KeyValueStore<TableName>,
  { latest, stored }: { readonly latest: number; readonly stored: number },
  finalityDepth: number,
): Promise<number> {
  const [before, noted] = withSnapshot(store, (reader) => {
    const value = reader.get('metadata', FINALITY_DEPTH_KEY)
    return [finalizedBefore(reader), value === undefined ? undefined : heightIn(value)]
  })
  if (noted === finalityDepth) return before
  const number =
    noted === undefined ? before : finalizedHeight(latest, { number: stored, finalizedBefore: before }, noted)
  const batch = new WriteBatch<TableName>()
  batch.put('metadata', FINALITY_DEPTH_KEY, blockKey(finalityDepth))
  if (noted !== undefined && noted < finalityDepth && number > before)
    batch.put('metadata', FINALIZED_KEY, blockKey(number))
  await store.commit(batch)
  return number
}
