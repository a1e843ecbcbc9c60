import type { Address, Bytes, Hash, Slot } from '../primitives/hex.ts'
import type { AccountChange, StateDiff } from './state-diff.ts'

const EMPTY_DIFF: StateDiff = Object.freeze({ accounts: new Map(), storage: new Map(), code: new Map() })

/** An empty diff. */
export function emptyDiff(): StateDiff {
  return EMPTY_DIFF
}

/** Whether all storage from before the change is gone: cleared, or the account was deleted. */
export function clearsStorage(change: AccountChange): boolean {
  return change.storageCleared || change.account === undefined
}

/**
 * One diff with the effect of `diffs` in order, oldest first.
 *
 * @example mergeDiffs(layers.map(({ diff }) => diff))
 */
export function mergeDiffs(diffs: Iterable<StateDiff>): StateDiff {
  const merger = new DiffMerger()
  for (const diff of diffs) merger.add(diff)
  return merger.merged()
}

/** `mergeDiffs` for a caller that yields between diffs. */
export class DiffMerger {
  readonly #accounts = new Map<Address, AccountChange>()
  readonly #storage = new Map<Address, Map<Slot, bigint>>()
  readonly #code = new Map<Hash, Bytes>()

  /** Adds the diff that follows those added so far. */
  add(diff: StateDiff): void {
    for (const [address, change] of diff.accounts) {
      const isCleared = clearsStorage(change)
      // Once cleared, older storage stays gone whatever is written later.
      const storageCleared = isCleared || this.#accounts.get(address)?.storageCleared === true
      this.#accounts.set(address, Object.freeze({ account: change.account, storageCleared }))
      if (isCleared) this.#storage.delete(address)
    }
    for (const [address, slots] of diff.storage) {
      const merged = this.#storage.get(address) ?? new Map<Slot, bigint>()
      for (const [slot, value] of slots) merged.set(slot, value)
      this.#storage.set(address, merged)
    }
    for (const [hash, bytes] of diff.code) this.#code.set(hash, bytes)
  }

  /** Nothing may be added afterwards. */
  merged(): StateDiff {
    return Object.freeze({ accounts: this.#accounts, storage: this.#storage, code: this.#code })
  }
}

/** Whether a diff changes nothing. */
export function isEmptyDiff({ accounts, storage, code }: StateDiff): boolean {
  return accounts.size === 0 && storage.size === 0 && code.size === 0
}

/**
 * Appends a diff to a list of consecutive ones. Neighbours of similar size are merged, so that a list of n diffs has
 * O(log n) entries and appending costs O(log n) per item on average.
 */
export function withDiff(diffs: readonly StateDiff[], diff: StateDiff): readonly StateDiff[] {
  const list = [...diffs]
  let last = diff
  for (let before = list.at(-1); before !== undefined && diffSize(before) < 2 * diffSize(last); before = list.at(-1)) {
    list.pop()
    last = mergeDiffs([before, last])
  }
  return Object.freeze([...list, last])
}

/** Number of changed accounts, slots and codes, and one. */
export function diffSize({ accounts, storage, code }: StateDiff): number {
  let size = 1 + accounts.size + code.size
  for (const slots of storage.values()) size += slots.size
  return size
}
