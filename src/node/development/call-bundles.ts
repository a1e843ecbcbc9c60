import type { Hash } from '../../primitives/hex.ts'
import { blockKey, heightIn } from '../../state/chain-store/encoding/keys.ts'
import { BUNDLE_KEYS } from '../../state/chain-store/encoding/metadata-keys.ts'
import type { TableName } from '../../state/chain-store/encoding/tables.ts'
import { put, remove } from '../../state/chain-store/encoding/write.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { WriteBatch } from '../../storage/write-batch.ts'

/** Bundles that are remembered; the oldest one is forgotten first. */
export const MAX_REMEMBERED_BUNDLES = 10_000

/** Calls that were sent together (EIP-5792). */
export interface CallBundle {
  readonly id: string
  /** The transactions that make the calls; one if they are atomic. */
  readonly transactions: readonly Hash[]
  readonly isAtomic: boolean
  /** Whether all calls were sent: after a refusal, the later ones are not. */
  readonly isComplete: boolean
}

interface StoredBundle {
  /** Increases by one with each bundle. */
  readonly number: number
  readonly bundle: CallBundle
}

/** The bundles of a development node. They survive a restart. */
export class CallBundles {
  readonly #store: KeyValueStore<TableName>
  /** Oldest first. */
  readonly #bundles = new Map<string, StoredBundle>()
  /** Ids of bundles whose calls are being sent. */
  readonly #reserved = new Set<string>()
  #next: number

  constructor({ store }: { readonly store: KeyValueStore<TableName> }) {
    this.#store = store
    for (const stored of readBundles(store)) this.#bundles.set(stored.bundle.id, stored)
    this.#next = ([...this.#bundles.values()].at(-1)?.number ?? 0) + 1
  }

  get(id: string): CallBundle | undefined {
    return this.#bundles.get(id)?.bundle
  }

  /** Reserves an id until `add` or `release`. @returns false if it is in use */
  reserve(id: string): boolean {
    if (this.#bundles.has(id) || this.#reserved.has(id)) return false
    this.#reserved.add(id)
    return true
  }

  release(id: string): void {
    this.#reserved.delete(id)
  }

  /** Resolves when the bundle is durable. */
  async add(bundle: CallBundle): Promise<void> {
    this.#reserved.delete(bundle.id)
    const batch = new WriteBatch<TableName>()
    const [oldest] = this.#bundles.values()
    if (oldest !== undefined && this.#bundles.size >= MAX_REMEMBERED_BUNDLES) {
      this.#bundles.delete(oldest.bundle.id)
      batch.add(remove('metadata', keyOf(oldest.number)))
    }
    const number = this.#next++
    this.#bundles.set(bundle.id, { number, bundle })
    batch.add(put('metadata', keyOf(number), Buffer.from(JSON.stringify(bundle))))
    await this.#store.commit(batch)
  }
}

function keyOf(number: number): Uint8Array {
  return Buffer.concat([BUNDLE_KEYS.from, blockKey(number)])
}

function readBundles(store: KeyValueStore<TableName>): readonly StoredBundle[] {
  return withSnapshot(store, (reader) =>
    Array.from(reader.range('metadata', BUNDLE_KEYS), ({ key, value }) => ({
      number: heightIn(key, BUNDLE_KEYS.from.length),
      // Written by `add`.
      bundle: JSON.parse(Buffer.from(value).toString()) as CallBundle,
    })),
  )
}
