import type { Address, Bytes, Hash, Slot } from '../primitives/hex.ts'
import type { Account } from './account.ts'
import { clearsStorage } from './diff.ts'
import type { StateDiff } from './state-diff.ts'

/**
 * Every account and storage slot as it was after any block, in memory. Blocks are only ever added at the end, so what
 * is known about a block never changes. A read is a binary search in the changes of that one account or slot.
 */
export class MemoryHistory {
  readonly #accounts = new Map<Address, Versions<Account | undefined>>()
  readonly #storage = new Map<Address, StorageHistory>()
  readonly #code = new Map<Hash, Bytes>()

  /** Adds what block `number` changed; numbers grow from call to call. */
  append(number: number, diff: StateDiff): void {
    for (const [address, change] of diff.accounts) {
      addVersion(versionsOf(this.#accounts, address), number, change.account)
      if (clearsStorage(change)) this.#storage.get(address)?.clearedAt.push(number)
    }
    for (const [address, slots] of diff.storage) {
      let history = this.#storage.get(address)
      if (history === undefined) {
        history = { clearedAt: [], slots: new Map() }
        this.#storage.set(address, history)
      }
      for (const [slot, value] of slots) addVersion(versionsOf(history.slots, slot), number, value)
    }
    for (const [hash, code] of diff.code) this.#code.set(hash, code)
  }

  /** The account after block `number`. */
  account(address: Address, number: number): Account | undefined {
    const versions = this.#accounts.get(address)
    return versions?.values[newestUpTo(versions.numbers, number)]
  }

  /** The slot after block `number`. */
  storage(address: Address, slot: Slot, number: number): bigint {
    const history = this.#storage.get(address)
    const versions = history?.slots.get(slot)
    if (history === undefined || versions === undefined) return 0n
    const newest = newestUpTo(versions.numbers, number)
    if (newest === -1) return 0n
    const clearing = newestUpTo(history.clearedAt, number)
    // A block clears first and writes then, so a value of the clearing block itself is valid.
    const isCleared = clearing !== -1 && versions.numbers[newest]! < history.clearedAt[clearing]!
    return isCleared ? 0n : versions.values[newest]!
  }

  /** Code is named by its hash, so it has no versions. */
  code(hash: Hash): Bytes | undefined {
    return this.#code.get(hash)
  }
}

/** Values and the blocks that set them, oldest first. */
interface Versions<T> {
  readonly numbers: number[]
  readonly values: T[]
}

interface StorageHistory {
  readonly clearedAt: number[]
  readonly slots: Map<Slot, Versions<bigint>>
}

function versionsOf<K, T>(all: Map<K, Versions<T>>, key: K): Versions<T> {
  let versions = all.get(key)
  if (versions === undefined) {
    versions = { numbers: [], values: [] }
    all.set(key, versions)
  }
  return versions
}

function addVersion<T>(versions: Versions<T>, number: number, value: T): void {
  versions.numbers.push(number)
  versions.values.push(value)
}

/** Index of the last of the growing `numbers` that is at most `limit`; -1: there is none. */
function newestUpTo(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
