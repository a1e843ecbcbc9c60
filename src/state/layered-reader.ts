import { type Address, type Bytes, type Hash, type Slot, ZERO_HASH } from '../primitives/hex.ts'
import type { Account } from './account.ts'
import { clearsStorage } from './diff.ts'
import type { Layer } from './layer.ts'
import type { StateReader } from './state-reader.ts'

/** Maximum number of cached addresses per reader: about 5 MB. */
const MAX_CACHED = 32_768

/** What a layered reader adds to its base. */
export interface Layered {
  /** Oldest first. */
  readonly layers: readonly Pick<Layer, 'diff'>[]
  /** Blocks that the base does not contain. */
  readonly blockHashes: ReadonlyMap<number, Hash>
}

/**
 * The state after `layers`, oldest first, on top of `base`. `blockHashes` holds the blocks that `base` does not
 * contain. Creating a reader is free; the first read of an address visits every layer, later ones only the layers that
 * wrote it.
 *
 * @example layerReader(snapshot.stateAt(snapshot.number)!, layers, new Map([[8, hash]]))
 */
export function layerReader(
  base: StateReader,
  layers: readonly Pick<Layer, 'diff'>[],
  blockHashes: ReadonlyMap<number, Hash>,
): StateReader {
  return new LayeredReader(base, () => ({ layers, blockHashes }))
}

/** As `layerReader` with layers that are collected at the first read: most states of a head are never read. */
export function lazyLayerReader(base: StateReader, layered: () => Layered): StateReader {
  return new LayeredReader(base, layered)
}

/** Changes of the layers to one address. */
interface AddressChanges {
  /** Whether `account` applies; otherwise that of the base. */
  readonly isWritten: boolean
  readonly account: Account | undefined
  /** Newest first, down to the last clearing. */
  readonly storage: readonly ReadonlyMap<Slot, bigint>[]
  /** The storage of the base is cleared. */
  readonly isCleared: boolean
}

const UNTOUCHED: AddressChanges = { isWritten: false, account: undefined, storage: [], isCleared: false }

class LayeredReader implements StateReader {
  readonly #base: StateReader
  readonly #collect: () => Layered
  #collected: Layered | undefined
  /** By address; absent before the first read. */
  #changes: Map<Address, AddressChanges> | undefined

  constructor(base: StateReader, collect: () => Layered) {
    this.#base = base
    this.#collect = collect
  }

  account(address: Address): Account | undefined {
    const changes = this.#changesOf(address)
    return changes.isWritten ? changes.account : this.#base.account(address)
  }

  storage(address: Address, slot: Slot): bigint {
    const changes = this.#changesOf(address)
    for (const slots of changes.storage) {
      const value = slots.get(slot)
      if (value !== undefined) return value
    }
    return changes.isCleared ? 0n : this.#base.storage(address, slot)
  }

  hasStorage(address: Address): boolean {
    const changes = this.#changesOf(address)
    for (const slots of changes.storage) for (const value of slots.values()) if (value !== 0n) return true
    return !changes.isCleared && this.#base.hasStorage(address)
  }

  code(hash: Hash): Bytes {
    const { layers } = this.#layered
    for (let index = layers.length - 1; index >= 0; index--) {
      const code = layers[index]!.diff.code.get(hash)
      if (code !== undefined) return code
    }
    return this.#base.code(hash)
  }

  blockHash(number: number): Hash {
    const unstored = this.#base.blockHash(number)
    return unstored === ZERO_HASH ? (this.#layered.blockHashes.get(number) ?? ZERO_HASH) : unstored
  }

  get #layered(): Layered {
    this.#collected ??= this.#collect()
    return this.#collected
  }

  #changesOf(address: Address): AddressChanges {
    this.#changes ??= new Map()
    const unstored = this.#changes.get(address)
    if (unstored !== undefined) return unstored
    const changes = collect(address, this.#layered.layers)
    if (this.#changes.size >= MAX_CACHED) this.#changes.clear()
    this.#changes.set(address, changes)
    return changes
  }
}

function collect(address: Address, layers: readonly Pick<Layer, 'diff'>[]): AddressChanges {
  const storage: ReadonlyMap<Slot, bigint>[] = []
  let isWritten = false
  let account: Account | undefined
  for (let index = layers.length - 1; index >= 0; index--) {
    const { diff } = layers[index]!
    const change = diff.accounts.get(address)
    if (change === undefined) continue
    if (!isWritten) account = change.account
    isWritten = true
    const slots = diff.storage.get(address)
    if (slots !== undefined) storage.push(slots)
    if (clearsStorage(change)) return { isWritten, account, storage, isCleared: true }
  }
  return isWritten ? { isWritten, account, storage, isCleared: false } : UNTOUCHED
}
