import { SOURCE_KEY } from '../../state/chain-store/encoding/metadata-keys.ts'
import type { TableName } from '../../state/chain-store/encoding/tables.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import type { StreamSettings } from '../log/record-source.ts'

/** The last settings of the followed node, so that a start need not wait for it. */
export function readSettings(store: KeyValueStore<TableName>): StreamSettings | undefined {
  const value = withSnapshot(store, (reader) => reader.get('metadata', SOURCE_KEY))
  if (value === undefined) return undefined
  const { gasLimit, ...numbers } = JSON.parse(Buffer.from(value).toString('utf8'))
  return { ...numbers, gasLimit: BigInt(gasLimit) }
}

export async function storeSettings(store: KeyValueStore<TableName>, settings: StreamSettings): Promise<void> {
  const { gasLimit, ...numbers } = settings
  const batch = new WriteBatch<TableName>()
  batch.put('metadata', SOURCE_KEY, Buffer.from(JSON.stringify({ ...numbers, gasLimit: gasLimit.toString() })))
  await store.commit(batch)
}
