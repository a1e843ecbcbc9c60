import type { TableName } from '../../state/chain-store/encoding/tables.ts'
import {
  finalityWrite,
  finalizedBefore,
  type NotedFinality,
  notedFinality,
} from '../../state/chain-store/writes/unwinding.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import type { Finality } from '../machine/finality.ts'
import { finalizedHeight } from '../machine/head-transitions.ts'

/** The block finalized under an earlier finality depth; 0: none. */
export function notedFinalized(store: KeyValueStore<TableName>): number {
  return read(store)?.finalized ?? 0
}

/**
 * The block that was finalized when the node ended. It stays finalized, even if the finality depth is greater now.
 *
 * @param latest the newest sealed block
 * @param stored the newest block of the store
 */
export async function keepFinalized(
  store: KeyValueStore<TableName>,
  { latest, stored }: { readonly latest: number; readonly stored: number },
  finality: Finality,
): Promise<number> {
  const { depth } = finality
  const noted = read(store)
  if (noted?.depth === depth) return noted.finalized
  const before = { number: stored, finalizedBefore: withSnapshot(store, finalizedBefore) }
  const finalized =
    noted === undefined
      ? 0
      : Math.max(noted.finalized, finalizedHeight(latest, before, { ...finality, depth: noted.depth }))
  await write(store, { depth, finalized })
  return finalized
}

/**
 * Stores the finality depth that applies from now on if it has changed.
 *
 * @param shown the finalized block of the current head; `undefined`: there is no head
 */
export async function noteFinality(
  store: KeyValueStore<TableName>,
  depth: number,
  shown: number | undefined,
): Promise<void> {
  const noted = read(store)
  if (noted?.depth !== depth) await write(store, { depth, finalized: shown ?? noted?.finalized ?? 0 })
}

async function write(store: KeyValueStore<TableName>, noted: NotedFinality): Promise<void> {
  const batch = new WriteBatch<TableName>()
  batch.add(finalityWrite(noted))
  await store.commit(batch)
}

function read(store: KeyValueStore<TableName>): NotedFinality | undefined {
  return withSnapshot(store, notedFinality)
}
