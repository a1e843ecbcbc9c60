import type { Address, Bytes, Hash, Slot } from '../primitives/hex.ts'
import { diffSize } from './diff.ts'
import type { AccountChange, StateDiff } from './state-diff.ts'

/** Estimated size of an account and of a slot in an encoded diff. */
const ACCOUNT_BYTES = 100
const SLOT_BYTES = 70

/** Collects a part of a state or of a diff. */
export class DiffPart {
  /** Estimated size when it is encoded. */
  bytes = 0
  readonly #accounts = new Map<Address, AccountChange>()
  readonly #storage = new Map<Address, Map<Slot, bigint>>()
  readonly #code = new Map<Hash, Bytes>()

  get diff(): StateDiff {
    return { accounts: this.#accounts, storage: this.#storage, code: this.#code }
  }

  addAccount(address: Address, change: AccountChange): void {
    this.#accounts.set(address, change)
    this.bytes += ACCOUNT_BYTES
  }

  addCode(hash: Hash, code: Bytes): void {
    this.#code.set(hash, code)
    this.bytes += code.length
  }

  addSlot(address: Address, slot: Slot, value: bigint): void {
    const slots = this.#storage.get(address) ?? new Map<Slot, bigint>()
    this.#storage.set(address, slots.set(slot, value))
    this.bytes += SLOT_BYTES
  }
}

/**
 * Diffs of about `partBytes` each, at least one, that have the effect of `diff` when they are applied in order; code
 * may exceed the size.
 * Code precedes the accounts that have it, and an account repeats when its slots exceed a part.
 */
export function* diffParts(diff: StateDiff, partBytes: number): Generator<StateDiff> {
  // Most diffs are small.
  if (diff.code.size === 0 && diffSize(diff) * ACCOUNT_BYTES <= partBytes) {
    yield diff
    return
  }
  let part = new DiffPart()
  let isFirst = true
  const isFull = () => part.bytes >= partBytes
  const next = () => {
    part = new DiffPart()
    isFirst = false
  }
  for (const [hash, code] of diff.code) {
    part.addCode(hash, code)
    if (!isFull()) continue
    yield part.diff
    next()
  }
  for (const [address, change] of diff.accounts) {
    part.addAccount(address, change)
    for (const [slot, value] of diff.storage.get(address) ?? []) {
      if (isFull()) {
        yield part.diff
        next()
        part.addAccount(address, { account: change.account, storageCleared: false })
      }
      part.addSlot(address, slot, value)
    }
    if (!isFull()) continue
    yield part.diff
    next()
  }
  if (part.bytes > 0 || isFirst) yield part.diff
}
