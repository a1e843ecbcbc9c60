import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import {
  Account as AccountObject,
  type Address as AddressObject,
  KECCAK256_NULL,
  KECCAK256_RLP,
} from '@ethereumjs/util'
import {
  type Address,
  type Bytes,
  bytesToHex,
  EMPTY_BYTES,
  type Hash,
  hexToBytes,
  type Slot,
} from '../../src/primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../src/primitives/keccak.ts'
import { bigintToBytes, bytesToBigint } from '../../src/primitives/quantity.ts'
import type { StateOverlay } from '../../src/state/overlay.ts'

/** Stands for "has storage" in a creation (EIP-7610); its value is never read. */
const SOME_STORAGE_ROOT = new Uint8Array(32).fill(1)

/** Exception of EIP-161: on mainnet this account stays touched when its frame fails (Yellow Paper, appendix K). */
const RIPEMD160 = '0x0000000000000000000000000000000000000003' as Address

/** The value that a SELFDESTRUCT moved. */
export interface SelfDestructTransfer {
  readonly from: Address
  readonly amount: bigint
}

/**
 * The session's state as `@ethereumjs/evm` expects it, with the data of a transaction: original storage values
 * (EIP-2200) and touched accounts (EIP-161).
 */
export class OverlayStateManager implements StateManagerInterface {
  readonly originalStorageCache = {
    get: async (address: AddressObject, key: Uint8Array): Promise<Uint8Array> => this.originalStorage(address, key),
    clear: (): void => this.original.clear(),
  }
  private overlay: StateOverlay
  private readonly original = new Map<Address, Map<Slot, Bytes>>()
  private touches: Address[] = []
  private readonly marks: number[] = []
  private destruct: SelfDestructTransfer | undefined

  constructor(overlay: StateOverlay) {
    this.overlay = overlay
  }

  /** Attaches it to another session's state. */
  attach(overlay: StateOverlay): void {
    this.overlay = overlay
    this.beginTransaction()
  }

  /** Clears original values and touched accounts of the previous transaction. */
  beginTransaction(): void {
    this.original.clear()
    this.touches = []
    this.marks.length = 0
    this.destruct = undefined
  }

  /** Accounts touched by frames that did not fail. */
  touched(): readonly Address[] {
    return this.touches
  }

  /** Value moved by the SELFDESTRUCT that ended the last frame; returned once. */
  takeSelfDestruct(): SelfDestructTransfer | undefined {
    const transfer = this.destruct
    this.destruct = undefined
    return transfer
  }

  async getAccount(address: AddressObject): Promise<AccountObject | undefined> {
    const key = keyOf(address)
    const account = this.overlay.account(key)
    if (account === undefined) return undefined
    const mayBeCreated = account.nonce === 0n && account.codeHash === EMPTY_CODE_HASH
    const storageRoot = mayBeCreated && this.overlay.hasStorage(key) ? SOME_STORAGE_ROOT : KECCAK256_RLP
    const codeHash = account.codeHash === EMPTY_CODE_HASH ? KECCAK256_NULL : hexToBytes(account.codeHash)
    return new AccountObject(account.nonce, account.balance, storageRoot, codeHash)
  }

  async putAccount(address: AddressObject, account?: AccountObject): Promise<void> {
    const key = keyOf(address)
    this.touches.push(key)
    if (account === undefined) {
      this.overlay.setAccount(key, undefined)
      return
    }
    const { nonce, balance } = account
    const codeHash = account.codeHash === KECCAK256_NULL ? EMPTY_CODE_HASH : (bytesToHex(account.codeHash) as Hash)
    this.overlay.setAccount(key, { nonce, balance, codeHash })
  }

  async deleteAccount(address: AddressObject): Promise<void> {
    this.overlay.setAccount(keyOf(address), undefined)
  }

  /** The interpreter calls this only for SELFDESTRUCT, to empty the account whose value has moved. */
  async modifyAccountFields(address: AddressObject, fields: AccountFields): Promise<void> {
    const key = keyOf(address)
    const account = this.overlay.account(key)
    if (account === undefined) return
    const balance = fields.balance ?? account.balance
    this.destruct = { from: key, amount: account.balance - balance }
    this.overlay.setAccount(key, { ...account, balance })
  }

  async putCode(address: AddressObject, code: Uint8Array): Promise<void> {
    this.overlay.setCode(keyOf(address), code.slice())
  }

  async getCode(address: AddressObject): Promise<Uint8Array> {
    const account = this.overlay.account(keyOf(address))
    if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return EMPTY_BYTES
    return plain(this.overlay.code(account.codeHash))
  }

  async getCodeSize(address: AddressObject): Promise<number> {
    return (await this.getCode(address)).length
  }

  async getStorage(address: AddressObject, key: Uint8Array): Promise<Uint8Array> {
    return this.storageBytes(keyOf(address), bytesToHex(key) as Slot)
  }

  async putStorage(address: AddressObject, key: Uint8Array, value: Uint8Array): Promise<void> {
    const account = keyOf(address)
    const slot = bytesToHex(key) as Slot
    this.keepOriginal(account, slot)
    this.overlay.setStorage(account, slot, bytesToBigint(value))
  }

  async clearStorage(address: AddressObject): Promise<void> {
    this.overlay.clearStorage(keyOf(address))
  }

  async checkpoint(): Promise<void> {
    this.marks.push(this.touches.length)
    this.overlay.checkpoint()
  }

  async commit(): Promise<void> {
    this.marks.pop()
    this.overlay.commit()
  }

  async revert(): Promise<void> {
    const undone = this.touches.splice(this.marks.pop() ?? 0)
    if (undone.includes(RIPEMD160)) this.touches.push(RIPEMD160)
    this.overlay.revert()
  }

  async getStateRoot(): Promise<Uint8Array> {
    throw new UnsupportedStateAccessError('getStateRoot')
  }

  async setStateRoot(): Promise<void> {
    throw new UnsupportedStateAccessError('setStateRoot')
  }

  async hasStateRoot(): Promise<boolean> {
    return false
  }

  clearCaches(): void {
    this.beginTransaction()
  }

  shallowCopy(): StateManagerInterface {
    return new OverlayStateManager(this.overlay)
  }

  private originalStorage(address: AddressObject, key: Uint8Array): Bytes {
    const account = keyOf(address)
    const slot = bytesToHex(key) as Slot
    return this.original.get(account)?.get(slot) ?? this.storageBytes(account, slot)
  }

  private keepOriginal(account: Address, slot: Slot): void {
    let slots = this.original.get(account)
    if (slots === undefined) {
      slots = new Map()
      this.original.set(account, slots)
    }
    if (!slots.has(slot)) slots.set(slot, this.storageBytes(account, slot))
  }

  /** Without leading zero bytes: the interpreter compares values byte by byte. */
  private storageBytes(account: Address, slot: Slot): Bytes {
    return bigintToBytes(this.overlay.storage(account, slot))
  }
}

/** The interpreter requested something that belongs to whole blocks. */
export class UnsupportedStateAccessError extends Error {
  override readonly name = 'UnsupportedStateAccessError'
  readonly code = 'UNSUPPORTED_STATE_ACCESS'

  constructor(operation: string) {
    super(`${operation} is not part of running a message; compute it from the session's diff`)
  }
}

function keyOf(address: AddressObject): Address {
  return bytesToHex(address.bytes) as Address
}

/** `slice` of a Buffer shares memory; the interpreter expects copies. */
function plain(bytes: Bytes): Uint8Array {
  return Buffer.isBuffer(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : bytes
}
