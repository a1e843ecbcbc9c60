import type { NativeCode } from '../../chain/b20/native-code.ts'
import { type Address, type Bytes, EMPTY_BYTES, type Hash, type Slot } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../../primitives/keccak.ts'
import type { Account } from '../../state/account.ts'
import { clearsStorage } from '../../state/diff.ts'
import type { AccountChange, StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { NativeState } from '../native-contract.ts'
import type { WorldState } from '../world-state.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_BALANCE_BEFORE,
  ACCOUNT_CODE_HASH,
  ACCOUNT_CODE_HASH_BEFORE,
  ACCOUNT_EXISTED,
  ACCOUNT_EXISTS,
  ACCOUNT_GENERATION,
  ACCOUNT_GENERATION_BEFORE,
  ACCOUNT_HAS_CODE,
  ACCOUNT_NONCE,
  ACCOUNT_NONCE_BEFORE,
  CODE_BYTES,
  CODE_LENGTH,
  SLOT_ACCOUNT,
} from './abi/records.ts'
import type { AddressRole, AddressRoles } from './address-roles.ts'
import type { Evm } from './evm.ts'

/** State cached in an instance's memory. */
export interface Records {
  /** Pointers of account records by address, and the reverse. */
  readonly accounts: Map<Address, number>
  readonly addresses: Map<number, Address>
  /** Pointers of the records of native code by its hash, and the code. */
  readonly natives: Map<Hash, { readonly pointer: number; readonly code: NativeCode }>
  /** Number of slots read. */
  slots: number
}

/** Programming error: reading the state of a session after `close()`. */
class ClosedStateError extends Error {
  override readonly name = 'ClosedStateError'
  readonly code = 'SESSION_CLOSED'
}

/** For a closed state; stays empty. */
const NO_RECORDS: Records = noRecords()

const ORDINARY: AddressRole = Object.freeze({ precompile: 0, isAlwaysWarm: false })

/**
 * The state of a session in the interpreter's memory, on top of a reader from which it loads on demand. Equivalent to
 * `StateOverlay`.
 */
export class WasmState implements WorldState, NativeState {
  readonly evm: Evm
  private readonly base: StateReader
  private readonly roles: AddressRoles
  private records: Records
  /** Journal length at each open checkpoint. */
  private readonly checkpoints: number[] = []
  /** Something was written that cannot be reverted. */
  private isChanged = false
  private isClosed = false

  /** @param deps.records cached by an earlier session on the same state */
  constructor(deps: { evm: Evm; base: StateReader; roles: AddressRoles; records?: Records | undefined }) {
    this.evm = deps.evm
    this.base = deps.base
    this.roles = deps.roles
    this.records = deps.records ?? noRecords()
  }

  account(address: Address): Account | undefined {
    return this.accountAt(this.pointerOf(address))
  }

  storage(address: Address, slot: Slot): bigint {
    return this.evm.word(this.evm.exports.currentValue(this.loadedSlot(this.pointerOf(address), slot)))
  }

  hasStorage(address: Address): boolean {
    const pointer = this.pointerOf(address)
    this.loadHasStorage(pointer)
    return this.evm.exports.hasStorage(pointer) !== 0
  }

  code(hash: Hash): Bytes {
    if (hash === EMPTY_CODE_HASH) return EMPTY_BYTES
    this.refuseWhenClosed()
    const { evm } = this
    evm.setBytes32(evm.exchange, hash)
    const code = evm.exports.findCode()
    return code === 0 ? this.base.code(hash) : evm.copy(code + CODE_BYTES, evm.number(code + CODE_LENGTH))
  }

  blockHash(number: number): Hash {
    return this.base.blockHash(number)
  }

  setAccount(address: Address, account: Account | undefined): void {
    const { evm } = this
    const pointer = this.pointerOf(address)
    if (account === undefined) {
      evm.exports.removeAccount(pointer)
      return
    }
    const hasCode = account.codeHash !== EMPTY_CODE_HASH
    const keepsCode = hasCode
      ? this.codeHashAt(pointer) === account.codeHash
      : evm.number(pointer + ACCOUNT_HAS_CODE) === 0
    evm.setWord(evm.exchange + 32, account.balance)
    if (keepsCode) {
      evm.exports.changeFunds(pointer, account.nonce)
      return
    }
    evm.setBytes32(evm.exchange, account.codeHash)
    evm.exports.changeAccount(pointer, account.nonce, hasCode ? 1 : 0)
  }

  setCode(address: Address, code: Bytes): Hash {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccakHash(code)
    if (code.length > 0) this.evm.exports.markNewCode(this.storedCode(codeHash, code))
    const { nonce, balance } = this.account(address) ?? { nonce: 0n, balance: 0n }
    this.setAccount(address, { nonce, balance, codeHash })
    return codeHash
  }

  apply(diff: StateDiff): void {
    const { exports } = this.evm
    for (const [hash, code] of diff.code) exports.markNewCode(this.storedCode(hash, code))
    for (const [address, change] of diff.accounts) {
      if (clearsStorage(change)) exports.clearStorage(this.pointerOf(address))
      this.setAccount(address, change.account)
      if (change.account === undefined) continue
      for (const [slot, value] of diff.storage.get(address) ?? []) this.setStorage(address, slot, value)
    }
    if (this.checkpoints.length === 0) this.keepChanges()
  }

  /** @throws when a checkpoint is open, since its writes may be reverted */
  takeDiff(): StateDiff {
    if (this.checkpoints.length > 0) throw new Error('a checkpoint is open: commit or revert it before takeDiff()')
    this.isChanged = true
    const storage = this.takeStorage()
    const accounts = new Map<Address, AccountChange>()
    const { evm } = this
    for (let pointer = evm.exports.nextAccount(); pointer !== 0; pointer = evm.exports.nextAccount()) {
      const address = this.addressOf(pointer)
      const existed = evm.number(pointer + ACCOUNT_EXISTED) !== 0
      const isCleared = evm.number(pointer + ACCOUNT_GENERATION) !== evm.number(pointer + ACCOUNT_GENERATION_BEFORE)
      // An account that did not exist had no storage to clear.
      const storageCleared = existed && isCleared
      const account = this.accountAt(pointer)
      if (account === undefined) storage.delete(address)
      const isChanged = storageCleared || storage.has(address) || this.isAccountChanged(pointer, existed, account)
      evm.exports.commitAccount(pointer)
      if (isChanged) accounts.set(address, Object.freeze({ account, storageCleared }))
    }
    return Object.freeze({ accounts, storage, code: this.takeCode() })
  }

  checkpoint(): number {
    this.checkpoints.push(this.evm.exports.journalLength())
    return this.checkpoints.length - 1
  }

  revert(checkpoint = this.checkpoints.length - 1): void {
    const length = this.checkpoints[checkpoint]
    if (length === undefined) throw new Error('no such checkpoint is open: call checkpoint() before revert()')
    this.checkpoints.length = checkpoint
    this.evm.exports.revertTo(length)
  }

  commit(): void {
    if (this.checkpoints.pop() === undefined)
      throw new Error('no checkpoint is open: call checkpoint() before commit()')
    if (this.checkpoints.length === 0) this.keepChanges()
  }

  /** Cache for another session on the same state; `undefined` if this one changed anything. */
  unchangedRecords(): Records | undefined {
    const { exports } = this.evm
    const isChanged = this.isChanged || exports.journalLength() > 0 || exports.hasNewCode() !== 0
    return isChanged || this.checkpoints.length > 0 ? undefined : this.records
  }

  /** Detaches from the memory, which another session will use; later reads throw. */
  close(): void {
    this.isClosed = true
    this.records = NO_RECORDS
  }

  private keepChanges(): void {
    const { exports } = this.evm
    if (exports.journalLength() === 0) return
    this.isChanged = true
    exports.clearJournal()
  }

  /** Pointer of an account record, loaded if necessary. */
  pointerOf(address: Address): number {
    const { accounts, addresses } = this.records
    const cached = accounts.get(address)
    if (cached !== undefined) return cached
    this.refuseWhenClosed()
    const account = this.base.account(address)
    const { evm } = this
    const { precompile, isAlwaysWarm, native } = this.roles.get(address) ?? ORDINARY
    evm.setAddress(address)
    evm.exports.findAccount()
    const pointer = evm.exports.addAccount(precompile, isAlwaysWarm ? 1 : 0)
    if (account !== undefined) {
      evm.setBytes32(evm.exchange, account.codeHash)
      evm.setWord(evm.exchange + 32, account.balance)
      evm.exports.provideAccount(pointer, account.nonce, account.codeHash === EMPTY_CODE_HASH ? 0 : 1)
    }
    if (native !== undefined) {
      evm.exports.setNative(pointer, this.nativePointer(native.code), native.needsMarker ? 1 : 0)
    }
    accounts.set(address, pointer)
    addresses.set(pointer, address)
    return pointer
  }

  addressOf(pointer: number): Address {
    return this.records.addresses.get(pointer)!
  }

  /** Pointer of a slot record; its value may be missing. */
  slotPointer(account: number, slot: Slot | Hash): number {
    this.evm.setBytes32(this.evm.exchange, slot)
    return this.evm.exports.slotOf(account)
  }

  /** Pointer of a slot record with its value. */
  loadedSlot(account: number, slot: Slot): number {
    const { evm } = this
    const pointer = this.slotPointer(account, slot)
    if (evm.exports.needsValue(pointer) !== 0) {
      const value = this.base.storage(this.addressOf(account), slot)
      evm.setWord(evm.exchange, value)
      evm.exports.provideValue(pointer)
      this.records.slots += 1
    }
    return pointer
  }

  /** Tells the interpreter whether the account has storage, before a creation at its address. */
  loadHasStorage(account: number): void {
    this.evm.exports.provideHasStorage(account, this.base.hasStorage(this.addressOf(account)) ? 1 : 0)
  }

  /** Loads the code of an account. */
  loadCode(account: number): void {
    const hash = this.codeHashAt(account)
    this.storedCode(hash, this.records.natives.get(hash)?.code.bytes ?? this.base.code(hash))
  }

  /** Pointer of the record of native code, which is not an account of the state. */
  private nativePointer(code: NativeCode): number {
    const { evm } = this
    const { natives } = this.records
    const cached = natives.get(code.hash)
    if (cached !== undefined) return cached.pointer
    const pointer = evm.exports.addNative()
    evm.setBytes32(evm.exchange, code.hash)
    evm.setWord(evm.exchange + 32, 0n)
    evm.exports.provideAccount(pointer, 0n, 1)
    natives.set(code.hash, { pointer, code })
    return pointer
  }

  private refuseWhenClosed(): void {
    if (this.isClosed) throw new ClosedStateError('the session of this state is closed: open another one')
  }

  setStorage(address: Address, slot: Slot, value: bigint): void {
    const { evm } = this
    const account = this.pointerOf(address)
    const pointer = this.loadedSlot(account, slot)
    evm.setWord(evm.exchange, value)
    evm.exports.changeValue(pointer)
  }

  private storedCode(hash: Hash, code: Bytes): number {
    const { evm } = this
    evm.setBytes32(evm.exchange, hash)
    const cached = evm.exports.findCode()
    if (cached !== 0) return cached
    const pointer = evm.exports.addCode(code.length)
    evm.bytes.set(code, pointer + CODE_BYTES)
    evm.exports.finishCode(pointer)
    return pointer
  }

  private accountAt(pointer: number): Account | undefined {
    const { evm } = this
    if (evm.number(pointer + ACCOUNT_EXISTS) === 0) return undefined
    return {
      nonce: evm.limb(pointer + ACCOUNT_NONCE),
      balance: evm.word(pointer + ACCOUNT_BALANCE),
      codeHash: this.codeHashAt(pointer),
    }
  }

  private codeHashAt(pointer: number): Hash {
    if (this.evm.number(pointer + ACCOUNT_HAS_CODE) === 0) return EMPTY_CODE_HASH
    return this.evm.hash(pointer + ACCOUNT_CODE_HASH)
  }

  private isAccountChanged(pointer: number, existed: boolean, account: Account | undefined): boolean {
    if (account === undefined || !existed) return existed !== (account !== undefined)
    const { evm } = this
    return (
      account.nonce !== evm.limb(pointer + ACCOUNT_NONCE_BEFORE) ||
      account.balance !== evm.word(pointer + ACCOUNT_BALANCE_BEFORE) ||
      account.codeHash !== evm.hash(pointer + ACCOUNT_CODE_HASH_BEFORE)
    )
  }

  private takeStorage(): Map<Address, Map<Slot, bigint>> {
    const { evm } = this
    const storage = new Map<Address, Map<Slot, bigint>>()
    for (let slot = evm.exports.takeSlot(); slot !== 0; slot = evm.exports.takeSlot()) {
      const address = this.addressOf(evm.number(slot + SLOT_ACCOUNT))
      let slots = storage.get(address)
      if (slots === undefined) {
        slots = new Map()
        storage.set(address, slots)
      }
      const key = evm.slot(evm.exchange)
      slots.set(key, evm.word(evm.exports.currentValue(slot)))
    }
    return storage
  }

  private takeCode(): Map<Hash, Bytes> {
    const { evm } = this
    const codes = new Map<Hash, Bytes>()
    for (let code = evm.exports.takeCode(); code !== 0; code = evm.exports.takeCode()) {
      codes.set(evm.hex(code, 32) as Hash, evm.copy(code + CODE_BYTES, evm.number(code + CODE_LENGTH)))
    }
    return codes
  }
}

function noRecords(): Records {
  return { accounts: new Map(), addresses: new Map(), natives: new Map(), slots: 0 }
}
