import type { TableName } from '../../src/state/chain-store/encoding/tables.ts'
import type { KeyValueReader, KeyValueStore } from '../../src/storage/key-value.ts'

/** A store that counts reads: look-ups, seeks and entries of ranges. */
export class CountingStore implements KeyValueStore<TableName> {
  reads = 0
  readonly #store: KeyValueStore<TableName>

  constructor(store: KeyValueStore<TableName>) {
    this.#store = store
  }

  snapshot() {
    const snapshot = this.#store.snapshot()
    const count = () => {
      this.reads += 1
    }
    const counting: ReturnType<KeyValueStore<TableName>['snapshot']> = {
      get(table, key) {
        count()
        return snapshot.get(table, key)
      },
      peek(table, key) {
        count()
        return snapshot.peek(table, key)
      },
      seek(table, key) {
        count()
        return snapshot.seek(table, key)
      },
      *range(...range: Parameters<KeyValueReader<TableName>['range']>) {
        for (const entry of snapshot.range(...range)) {
          count()
          yield entry
        }
      },
      retain() {
        snapshot.retain()
        return counting
      },
      release: () => snapshot.release(),
    }
    return counting
  }

  commit(batch: Parameters<KeyValueStore<TableName>['commit']>[0]): Promise<void> {
    return this.#store.commit(batch)
  }

  statistics() {
    return this.#store.statistics()
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
