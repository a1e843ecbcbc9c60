import { blockKey, heightIn } from '../../state/chain-store/encoding/keys.ts'
import type { TableName } from '../../state/chain-store/tables.ts'
import { FINALITY_KEY, finalizedBefore } from '../../state/chain-store/unwinding.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { finalizedHeight } from './head-transitions.ts'

const HEIGHT_BYTES = 8

/** Finality as of the last change of its depth. */
interface NotedFinality {
  readonly depth: number
  /** Blocks up to this one stay finalized, whatever the depth. */
  readonly finalized: number
}

/** The block that an earlier finality depth made final; 0: none. */
export function notedFinalized(store: KeyValueStore<TableName>): number {
  return read(store)?.finalized ?? 0
}

/**
 * The block that was finalized when the node ended: it stays so though the finality depth may be greater now.
 *
 * @param latest the newest sealed block
 * @param stored the newest block of the store
 */
export async function keepFinalized(
  store: KeyValueStore<TableName>,
  { latest, stored }: { readonly latest: number; readonly stored: number },
  depth: number,
): Promise<number> {
  const noted = read(store)
  if (noted?.depth === depth) return noted.finalized
  const before = { number: stored, finalizedBefore: withSnapshot(store, finalizedBefore) }
  const finalized = noted === undefined ? 0 : Math.max(noted.finalized, finalizedHeight(latest, before, noted.depth))
  await write(store, { depth, finalized })
  return finalized
}

/**
 * Notes the depth by which blocks are finalized from now on, if it is another one than before.
 *
 * @param shown the block that is shown as finalized; `undefined`: there is no head
 */
export async function noteFinality(
  store: KeyValueStore<TableName>,
  depth: number,
  shown: number | undefined,
): Promise<void> {
  const noted = read(store)
  if (noted?.depth !== depth) await write(store, { depth, finalized: shown ?? noted?.finalized ?? 0 })
}

async function write(store: KeyValueStore<TableName>, { depth, finalized }: NotedFinality): Promise<void> {
  const batch = new WriteBatch<TableName>()
  batch.put('metadata', FINALITY_KEY, Buffer.concat([blockKey(depth), blockKey(finalized)]))
  await store.commit(batch)
}

function read(store: KeyValueStore<TableName>): NotedFinality | undefined {
  const value = withSnapshot(store, (reader) => reader.get('metadata', FINALITY_KEY))
  return value && { depth: heightIn(value), finalized: heightIn(value, HEIGHT_BYTES) }
}
