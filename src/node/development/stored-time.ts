import { CHAIN_TIME_KEY, type TableName } from '../../state/chain-store/tables.ts'
import { put } from '../../state/chain-store/write.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import type { NextBlockSettings } from './next-block.ts'

/** Settings that survive a restart. */
export type StoredTime = Pick<NextBlockSettings, 'offsetMs' | 'timestampInterval'>

/** Chain time as of the last change; `undefined`: it was never changed. */
export function storedTime(store: KeyValueStore<TableName>): StoredTime | undefined {
  const value = withSnapshot(store, (reader) => reader.get('metadata', CHAIN_TIME_KEY))
  if (value === undefined) return undefined
  const [offsetMs, interval] = JSON.parse(Buffer.from(value).toString('ascii')) as [string, string | null]
  return { offsetMs: BigInt(offsetMs), timestampInterval: interval === null ? undefined : BigInt(interval) }
}

/** Writes chain time when it changes. */
export class TimeStore {
  readonly #store: KeyValueStore<TableName>
  #stored: StoredTime
  #writing: Promise<void> = Promise.resolve()

  constructor(stored: StoredTime, { store }: { readonly store: KeyValueStore<TableName> }) {
    this.#stored = stored
    this.#store = store
  }

  /** Resolves when the time is durable. */
  keep({ offsetMs, timestampInterval }: StoredTime): Promise<void> {
    const { offsetMs: before, timestampInterval: intervalBefore } = this.#stored
    if (offsetMs === before && timestampInterval === intervalBefore) return this.#writing
    this.#stored = { offsetMs, timestampInterval }
    const value = Buffer.from(JSON.stringify([String(offsetMs), timestampInterval?.toString() ?? null]), 'ascii')
    this.#writing = this.#writing.then(async () => {
      const batch = new WriteBatch<TableName>()
      batch.add(put('metadata', CHAIN_TIME_KEY, value))
      await this.#store.commit(batch)
    })
    return this.#writing
  }
}
