import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import type { AccessList, AccessListItem } from '../../chain/transaction/transaction.ts'
import {
  type Address,
  type Bytes,
  EMPTY_BYTES,
  type Hash,
  type Hex,
  type Slot,
  ZERO_HASH,
} from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../../primitives/keccak.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { Account } from '../../state/account.ts'
import { MissingStateError } from '../../state/missing-state.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { TrieNodeSource } from '../../state/trie-node-source.ts'
import type { ForkCache, ForkedAccount } from '../cache/fork-cache.ts'
import type { UpstreamCalls } from '../source/cached-source.ts'
import { ForkError } from '../source/fork-error.ts'
import type { ForkPoint, StateAccess } from '../source/fork-point.ts'
import { bytesValue, invalid, quantityValue, ReplyObject } from '../source/reply-fields.ts'
import { type AccountReading, provenReading, type TrustedAccount, trustedAccount } from './account-reads.ts'

export interface ForkedStateOptions {
  readonly point: ForkPoint
  readonly access: StateAccess
}

export interface ForkedStateDeps {
  readonly cache: ForkCache
  readonly source: UpstreamCalls
  /** Hash of an earlier block. */
  readonly blockHashAt: (number: number) => Promise<Hash>
  /**
   * Rejects with FORK_BLOCK_REPLACED when the upstream has another fork block by now. Called with each load of values
   * that nothing commits to, and when a proof is wrong.
   */
  readonly confirmBlock: () => Promise<void>
}

/**
 * The state of a chain as of the fork block, read on demand. Reads are synchronous; what is not cached throws a
 * MissingStateError, whose `load` fetches it. Loads of one turn of the event loop are one batch.
 */
export class ForkedState implements StateReader {
  readonly #point: ForkPoint
  readonly #access: StateAccess
  readonly #tag: Hex
  readonly #deps: ForkedStateDeps
  /** The nodes of the state trie that proofs showed so far. */
  readonly trieNodes: TrieNodeSource
  #hasGaps = false

  constructor({ point, access }: ForkedStateOptions, deps: ForkedStateDeps) {
    this.#point = point
    this.#access = access
    this.#tag = toQuantity(point.number)
    this.#deps = deps
    this.trieNodes = {
      node: (path) => deps.cache.node(path),
      onGap: () => {
        this.#hasGaps = true
      },
    }
  }

  /** Whether a root was computed next to a part of the trie that no proof has shown, so that it is not exact. */
  get hasGaps(): boolean {
    return this.#hasGaps
  }

  account(address: Address): Account | undefined {
    return this.#account(address).account
  }

  storage(address: Address, slot: Slot): bigint {
    const value = this.#deps.cache.slot(address, slot)
    if (value !== undefined) return value
    const known = this.#deps.cache.account(address)
    if (known !== undefined && hasNoStorage(known)) return 0n
    throw new MissingStateError(`slot ${slot} of ${address}`, () => this.#load(address, [slot]))
  }

  /** Without proofs an account that has neither code nor nonce counts as one without storage. */
  hasStorage(address: Address): boolean {
    const { storageRoot = EMPTY_TRIE_ROOT } = this.#account(address)
    return storageRoot !== EMPTY_TRIE_ROOT
  }

  code(hash: Hash): Bytes {
    if (hash === EMPTY_CODE_HASH) return EMPTY_BYTES
    const code = this.#deps.cache.code(hash)
    if (code !== undefined) return code
    const owner = this.#deps.cache.codeOwner(hash)
    throw new MissingStateError(`the code ${hash}`, () =>
      owner === undefined ? Promise.reject(unknownCode(hash)) : this.#load(owner, []),
    )
  }

  blockHash(number: number): Hash {
    const { cache, blockHashAt } = this.#deps
    if (number > this.#point.number || number < 0) return ZERO_HASH
    if (number === this.#point.number) return this.#point.hash
    const hash = cache.blockHash(number)
    if (hash !== undefined) return hash
    throw new MissingStateError(`the hash of block ${number}`, async () => {
      cache.putBlockHash(number, await blockHashAt(number))
    })
  }

  /** Whether an account with its code, and the slots, are loaded. */
  has({ address, storageKeys }: AccessListItem): boolean {
    return this.#hasAccount(address) && slotsOf(storageKeys).every((slot) => this.#hasSlot(address, slot))
  }

  /**
   * Loads accounts with their code, and slots, in one batch.
   *
   * @throws ForkError
   */
  async prefetch(list: AccessList): Promise<void> {
    await Promise.all(
      list.map(async ({ address, storageKeys }) => {
        const slots = slotsOf(storageKeys).filter((slot) => !this.#hasSlot(address, slot))
        if (slots.length > 0 || !this.#hasAccount(address)) await this.#load(address, slots)
      }),
    )
  }

  /**
   * Obtains proofs, whatever is cached: of accounts and slots that changes write without reading them.
   *
   * @throws ForkError
   */
  async prove(list: readonly { readonly address: Address; readonly slots: readonly Slot[] }[]): Promise<void> {
    if (this.#access !== 'proofs') return
    await Promise.all(list.map(({ address, slots }) => this.#loadProven(address, slots)))
  }

  /** Whether values without proofs may be put (`putTrusted`). */
  get isTrusting(): boolean {
    return this.#access !== 'proofs'
  }

  /**
   * Keeps values that the upstream gave in another way than asked for, such as by tracing.
   *
   * @throws Error unless `isTrusting`
   */
  putTrusted(address: Address, account: TrustedAccount, slots: ReadonlyMap<Slot, bigint>): void {
    if (!this.isTrusting) throw new Error('this state consists of proven values only')
    if (!this.#hasAccount(address)) this.#putTrusted(address, account)
    for (const [slot, value] of slots) this.#deps.cache.putSlot(address, slot, value)
  }

  #account(address: Address): ForkedAccount {
    const known = this.#deps.cache.account(address)
    if (known === undefined) throw new MissingStateError(`the account ${address}`, () => this.#load(address, []))
    return known
  }

  #hasAccount(address: Address): boolean {
    const known = this.#deps.cache.account(address)
    if (known === undefined) return false
    const codeHash = known.account?.codeHash ?? EMPTY_CODE_HASH
    return codeHash === EMPTY_CODE_HASH || this.#deps.cache.code(codeHash) !== undefined
  }

  #hasSlot(address: Address, slot: Slot): boolean {
    if (this.#deps.cache.slot(address, slot) !== undefined) return true
    const known = this.#deps.cache.account(address)
    return known !== undefined && hasNoStorage(known)
  }

  /** Loads an account with its code, and the slots. */
  async #load(address: Address, slots: readonly Slot[]): Promise<void> {
    if (this.#access === 'proofs') await this.#loadProven(address, slots)
    else {
      const account = this.#hasAccount(address) ? undefined : this.#trustedAccount(address)
      const values = slots.map((slot) => this.#trustedSlot(address, slot))
      const [reading, ...words] = await Promise.all([account, ...values, this.#deps.confirmBlock()])
      if (reading !== undefined) this.#putTrusted(address, reading)
      for (const [index, slot] of slots.entries()) this.#deps.cache.putSlot(address, slot, words[index]!)
    }
  }

  async #loadProven(address: Address, slots: readonly Slot[]): Promise<void> {
    const { cache, source } = this.#deps
    // Both in one batch: the code of an account without code costs less than a second round.
    const [reply, code] = await Promise.all([
      source.call('eth_getProof', [address, slots, this.#tag]),
      this.#hasAccount(address) ? undefined : source.call('eth_getCode', [address, this.#tag]),
    ])
    const reading = await this.#provenReading(reply, address, slots)
    const codeHash = reading.account?.codeHash ?? EMPTY_CODE_HASH
    if (code !== undefined) this.#putCode(address, codeHash, bytesValue(code, `the code of ${address}`))
    for (const [path, node] of reading.nodes) cache.putNode(path, node)
    for (const [slot, value] of reading.slots) cache.putSlot(address, slot, value)
    cache.putAccount(address, { account: reading.account, storageRoot: reading.storageRoot })
  }

  async #provenReading(reply: unknown, address: Address, slots: readonly Slot[]): Promise<AccountReading> {
    try {
      return provenReading(reply, { address, slots, stateRoot: this.#point.stateRoot })
    } catch (error) {
      // A proof of another block with this number is a reorganisation, not an error of the upstream.
      await this.#deps.confirmBlock()
      throw error
    }
  }

  #trustedAccount(address: Address): Promise<TrustedAccount> {
    return this.#access === 'accountInfo' ? this.#accountInfo(address) : this.#accountValues(address)
  }

  #putTrusted(address: Address, { account, code }: TrustedAccount): void {
    this.#putCode(address, account?.codeHash ?? EMPTY_CODE_HASH, code)
    this.#deps.cache.putAccount(address, { account, storageRoot: undefined })
  }

  async #accountInfo(address: Address): Promise<TrustedAccount> {
    const reply = await this.#deps.source.call('eth_getAccountInfo', [address, this.#tag])
    const info = new ReplyObject(reply, 'the result of eth_getAccountInfo')
    return trustedAccount(info.raw('balance'), info.raw('nonce'), info.raw('code'))
  }

  async #accountValues(address: Address): Promise<TrustedAccount> {
    const { source } = this.#deps
    const [balance, nonce, code] = await Promise.all([
      source.call('eth_getBalance', [address, this.#tag]),
      source.call('eth_getTransactionCount', [address, this.#tag]),
      source.call('eth_getCode', [address, this.#tag]),
    ])
    return trustedAccount(balance, nonce, code)
  }

  async #trustedSlot(address: Address, slot: Slot): Promise<bigint> {
    const value = await this.#deps.source.call('eth_getStorageAt', [address, slot, this.#tag])
    return quantityValue(value, `slot ${slot} of ${address}`)
  }

  #putCode(address: Address, hash: Hash, code: Bytes): void {
    if (code.length === 0 && hash === EMPTY_CODE_HASH) return
    if (keccakHash(code) !== hash) throw invalid(`the code of ${address}`, `its hash is not ${hash}`)
    this.#deps.cache.putCode(hash, code)
  }
}

/** A node gives code by account, not by hash. */
function unknownCode(hash: Hash): ForkError {
  return new ForkError(
    'FORK_DATA_UNKNOWN',
    `no account of the fork block with the code ${hash} was read: keep the cache (no --no-fork-cache), or begin a new chain without --datadir`,
  )
}

function slotsOf(storageKeys: readonly Hash[]): readonly Slot[] {
  return storageKeys as readonly Hex[] as readonly Slot[]
}

function hasNoStorage({ account, storageRoot }: ForkedAccount): boolean {
  return account === undefined || storageRoot === EMPTY_TRIE_ROOT
}
