import { type Address, type Bytes, EMPTY_BYTES, type Hash, type Slot } from '../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../primitives/keccak.ts'
import { type Account, sameAccount } from './account.ts'
import { clearsStorage } from './diff.ts'
import type { AccountChange, StateDiff } from './state-diff.ts'
import type { StateReader } from './state-reader.ts'

/**
 * A writable state on top of a read-only one. Writes inside a checkpoint can be reverted; all writes can be taken as a
 * diff, repeatedly.
 *
 * @example
 *   const overlay = new StateOverlay(reader)
 *   overlay.checkpoint()
 *   overlay.setStorage(address, slot, 1n)
 *   overlay.revert()
 */
export class StateOverlay implements StateReader {
  readonly #base: StateReader
  /** Content of the diffs taken so far. */
  readonly #extracted = emptyWrites()
  /** Content of the next diff. */
  #fresh = emptyWrites()
  /** Undo log since the outermost checkpoint. */
  readonly #undo: (() => void)[] = []
  /** Length of `#undo` at each open checkpoint. */
  readonly #checkpoints: number[] = []

  constructor(base: StateReader) {
    this.#base = base
  }

  account(address: Address): Account | undefined {
    return this.#fresh.accounts.has(address) ? this.#fresh.accounts.get(address) : this.#accountBefore(address)
  }

  storage(address: Address, slot: Slot): bigint {
    return read(this.#fresh.storage.get(address), slot) ?? this.#storageBefore(address, slot)
  }

  code(hash: Hash): Bytes {
    if (hash === EMPTY_CODE_HASH) return EMPTY_BYTES
    return this.#fresh.code.get(hash) ?? this.#extracted.code.get(hash) ?? this.#base.code(hash)
  }

  blockHash(number: number): Hash {
    return this.#base.blockHash(number)
  }

  /** `undefined` deletes the account and its storage. */
  setAccount(address: Address, account: Account | undefined): void {
    if (account === undefined) this.clearStorage(address)
    this.#put(this.#fresh.accounts, address, account)
  }

  /** A non-zero value creates the account if it does not exist, so that a diff never has storage without an account. */
  setStorage(address: Address, slot: Slot, value: bigint): void {
    if (value !== 0n && this.account(address) === undefined) {
      this.setAccount(address, { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH })
    }
    let written = this.#fresh.storage.get(address)
    if (written === undefined) {
      written = { isCleared: false, slots: new Map() }
      this.#put(this.#fresh.storage, address, written)
    }
    this.#put(written.slots, slot, value)
  }

  clearStorage(address: Address): void {
    this.#put(this.#fresh.storage, address, { isCleared: true, slots: new Map() })
  }

  /** Stores code and sets it as the account's, creating the account if necessary. */
  setCode(address: Address, code: Bytes): Hash {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccakHash(code)
    if (code.length > 0 && !this.#extracted.code.has(codeHash)) this.#put(this.#fresh.code, codeHash, code)
    const { nonce, balance } = this.account(address) ?? { nonce: 0n, balance: 0n }
    this.setAccount(address, { nonce, balance, codeHash })
    return codeHash
  }

  hasStorage(address: Address): boolean {
    const fresh = this.#fresh.storage.get(address)
    for (const value of fresh?.slots.values() ?? []) if (value !== 0n) return true
    if (fresh?.isCleared) return false
    const extracted = this.#extracted.storage.get(address)
    for (const [slot, value] of extracted?.slots ?? []) {
      if (value !== 0n && !fresh?.slots.has(slot)) return true
    }
    return !extracted?.isCleared && this.#base.hasStorage(address)
  }

  /** Opens a nested checkpoint and returns its number for `revert`. */
  checkpoint(): number {
    this.#checkpoints.push(this.#undo.length)
    return this.#checkpoints.length - 1
  }

  /** Reverts to a checkpoint, by default the innermost; closes it and those inside it. */
  revert(checkpoint = this.#checkpoints.length - 1): void {
    const length = this.#checkpoints[checkpoint]
    if (length === undefined) throw new Error('no such checkpoint is open: call checkpoint() before revert()')
    this.#checkpoints.length = checkpoint
    while (this.#undo.length > length) this.#undo.pop()!()
  }

  /** Closes the innermost checkpoint and keeps its writes. */
  commit(): void {
    if (this.#checkpoints.pop() === undefined)
      throw new Error('no checkpoint is open: call checkpoint() before commit()')
    if (this.#checkpoints.length === 0) this.#undo.length = 0
  }

  /** Applies a diff. */
  apply(diff: StateDiff): void {
    for (const [hash, code] of diff.code) this.#put(this.#fresh.code, hash, code)
    for (const [address, change] of diff.accounts) {
      if (clearsStorage(change)) this.clearStorage(address)
      this.setAccount(address, change.account)
      if (change.account === undefined) continue
      for (const [slot, value] of diff.storage.get(address) ?? []) this.setStorage(address, slot, value)
    }
  }

  /**
   * All writes since the last call (or since creation), without values that did not change. The cost is proportional to
   * those writes. Reads still see them.
   *
   * @throws when a checkpoint is open, since its writes may be reverted
   */
  takeDiff(): StateDiff {
    if (this.#checkpoints.length > 0) throw new Error('a checkpoint is open: commit or revert it before takeDiff()')
    const accounts = new Map<Address, AccountChange>()
    const storage = new Map<Address, ReadonlyMap<Slot, bigint>>()
    for (const address of new Set([...this.#fresh.accounts.keys(), ...this.#fresh.storage.keys()])) {
      const before = this.#accountBefore(address)
      const account = this.account(address)
      const written = this.#fresh.storage.get(address)
      // An account that did not exist had no storage to clear.
      const storageCleared = before !== undefined && written?.isCleared === true
      const slots = account === undefined ? NO_SLOTS : this.#changedSlots(address, written, storageCleared)
      if (!storageCleared && slots.size === 0 && sameAccount(before, account)) continue
      accounts.set(address, Object.freeze({ account, storageCleared }))
      if (slots.size > 0) storage.set(address, slots)
    }
    const diff = Object.freeze({ accounts, storage, code: this.#fresh.code })
    this.#moveExtracted()
    return diff
  }

  #changedSlots(address: Address, written: StorageWrites | undefined, storageCleared: boolean): Map<Slot, bigint> {
    const changed = new Map<Slot, bigint>()
    for (const [slot, value] of written?.slots ?? []) {
      const before = storageCleared ? 0n : this.#storageBefore(address, slot)
      if (value !== before) changed.set(slot, value)
    }
    return changed
  }

  #moveExtracted(): void {
    const { accounts, storage, code } = this.#fresh
    for (const [address, account] of accounts) this.#extracted.accounts.set(address, account)
    for (const [address, written] of storage) {
      const extracted = this.#extracted.storage.get(address)
      if (extracted === undefined || written.isCleared) this.#extracted.storage.set(address, written)
      else for (const [slot, value] of written.slots) extracted.slots.set(slot, value)
    }
    for (const [hash, bytes] of code) this.#extracted.code.set(hash, bytes)
    this.#fresh = emptyWrites()
  }

  #accountBefore(address: Address): Account | undefined {
    return this.#extracted.accounts.has(address) ? this.#extracted.accounts.get(address) : this.#base.account(address)
  }

  #storageBefore(address: Address, slot: Slot): bigint {
    return read(this.#extracted.storage.get(address), slot) ?? this.#base.storage(address, slot)
  }

  #put<K, V>(map: Map<K, V>, key: K, value: V): void {
    if (this.#checkpoints.length > 0) {
      if (map.has(key)) {
        const before = map.get(key)!
        this.#undo.push(() => map.set(key, before))
      } else {
        this.#undo.push(() => map.delete(key))
      }
    }
    map.set(key, value)
  }
}

interface StorageWrites {
  /** Storage from before these writes is cleared. */
  readonly isCleared: boolean
  readonly slots: Map<Slot, bigint>
}

interface Writes {
  readonly accounts: Map<Address, Account | undefined>
  readonly storage: Map<Address, StorageWrites>
  readonly code: Map<Hash, Bytes>
}

const NO_SLOTS: ReadonlyMap<Slot, bigint> = new Map()

function emptyWrites(): Writes {
  return { accounts: new Map(), storage: new Map(), code: new Map() }
}

/** `undefined`: read it from the layer below. */
function read(written: StorageWrites | undefined, slot: Slot): bigint | undefined {
  return written?.slots.get(slot) ?? (written?.isCleared ? 0n : undefined)
}
