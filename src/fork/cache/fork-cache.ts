import {
  type Address,
  type Bytes,
  bytesToAddress,
  bytesToHash,
  type Hash,
  hexToBytes,
  type Slot,
} from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/keccak.ts'
import { bigintToBytes, bytesToBigint } from '../../primitives/quantity.ts'
import type { Account } from '../../state/account.ts'
import { type ByteCache, PrefixedCache } from '../../storage/byte-cache.ts'

/** An account as of the fork block. */
export interface ForkedAccount {
  readonly account: Account | undefined
  /** `undefined`: not known, because the upstream gives no proofs. */
  readonly storageRoot: Hash | undefined
}

/** Raise it when a key or value changes its form. */
export const FORK_CACHE_VERSION = '2'

// Kinds of entries: the first byte of a key.
const ACCOUNT = 0x61
const SLOT = 0x73
const CODE = 0x63
const CODE_OWNER = 0x6f
const NODE = 0x6e
const BLOCK_HASH = 0x68
const REPLY = 0x72
const SETTING = 0x6d
/** Followed by a block number and the key of an entry of that block. */
const EARLIER = 0x65
/** Followed by the key of an entry that was read without a proof. */
const UNPROVEN = 0x75

const ABSENT = 0
const PRESENT = 1
const WITH_ROOT = 2
/** Kind, nonce, code hash, storage root; the balance follows. */
const ACCOUNT_HEAD = 1 + 8 + 32 + 32

/**
 * Cached data of a chain as of one block: accounts, slots, code, trie nodes, block hashes, and replies that never
 * change, such as blocks, receipts and logs. Everything was checked before it was put.
 */
export class ForkCache {
  readonly #bytes: ByteCache
  readonly #statistics: { hits: number; misses: number }

  /** @param statistics shared with the cache of which this one is a part */
  constructor(bytes: ByteCache, statistics = { hits: 0, misses: 0 }) {
    this.#bytes = bytes
    this.#statistics = statistics
  }

  /** Reads of accounts, slots, code, block hashes and replies so far. */
  get statistics(): { readonly hits: number; readonly misses: number } {
    return this.#statistics
  }

  /** The state of an earlier block, in the same cache. */
  at(number: number): ForkCache {
    return new ForkCache(new PrefixedCache(keyOf(EARLIER, heightBytes(number)), this.#bytes), this.#statistics)
  }

  /** Values that nothing commits to, in the same cache: they are no values of a state that consists of proven ones. */
  get unproven(): ForkCache {
    return new ForkCache(new PrefixedCache(keyOf(UNPROVEN), this.#bytes), this.#statistics)
  }

  get size(): number {
    return this.#bytes.bytes
  }

  account(address: Address): ForkedAccount | undefined {
    const entry = this.#get(keyOf(ACCOUNT, hexToBytes(address)))
    return entry === undefined ? undefined : decodeAccount(entry)
  }

  putAccount(address: Address, account: ForkedAccount): void {
    this.#bytes.put(keyOf(ACCOUNT, hexToBytes(address)), encodeAccount(account))
    const codeHash = account.account?.codeHash ?? EMPTY_CODE_HASH
    if (codeHash !== EMPTY_CODE_HASH) this.#bytes.put(keyOf(CODE_OWNER, hexToBytes(codeHash)), hexToBytes(address))
  }

  /** An account with this code, from which the code can be loaded. */
  codeOwner(hash: Hash): Address | undefined {
    const address = this.#bytes.get(keyOf(CODE_OWNER, hexToBytes(hash)))
    return address === undefined ? undefined : bytesToAddress(address)
  }

  slot(address: Address, slot: Slot): bigint | undefined {
    const value = this.#get(slotKey(address, slot))
    return value === undefined ? undefined : bytesToBigint(value)
  }

  putSlot(address: Address, slot: Slot, value: bigint): void {
    this.#bytes.put(slotKey(address, slot), bigintToBytes(value))
  }

  code(hash: Hash): Bytes | undefined {
    return this.#get(keyOf(CODE, hexToBytes(hash)))
  }

  putCode(hash: Hash, code: Bytes): void {
    this.#bytes.put(keyOf(CODE, hexToBytes(hash)), code)
  }

  /** A node of the state trie, by its path (TrieNodeSource). */
  node(path: Bytes): Bytes | undefined {
    return this.#bytes.get(keyOf(NODE, path))
  }

  putNode(path: Bytes, node: Bytes): void {
    this.#bytes.put(keyOf(NODE, path), node)
  }

  blockHash(number: number): Hash | undefined {
    const hash = this.#get(blockHashKey(number))
    return hash === undefined ? undefined : bytesToHash(hash)
  }

  putBlockHash(number: number, hash: Hash): void {
    this.#bytes.put(blockHashKey(number), hexToBytes(hash))
  }

  /** The result of a call that always has the same result. */
  reply(method: string, params: readonly unknown[]): unknown {
    return this.#json(replyKey(method, params))
  }

  putReply(method: string, params: readonly unknown[], result: unknown): void {
    this.#bytes.put(replyKey(method, params), Buffer.from(JSON.stringify(result)))
  }

  /** A property of the fork, such as its block. */
  setting(name: string): unknown {
    return this.#json(keyOf(SETTING, Buffer.from(name)))
  }

  putSetting(name: string, value: unknown): void {
    this.#bytes.put(keyOf(SETTING, Buffer.from(name)), Buffer.from(JSON.stringify(value)))
  }

  flush(): Promise<void> {
    return this.#bytes.flush()
  }

  close(): Promise<void> {
    return this.#bytes.close()
  }

  #get(key: Bytes): Bytes | undefined {
    const value = this.#bytes.get(key)
    if (value === undefined) this.#statistics.misses += 1
    else this.#statistics.hits += 1
    return value
  }

  #json(key: Bytes): unknown {
    const text = this.#get(key)
    return text === undefined ? undefined : JSON.parse(Buffer.from(text).toString())
  }
}

function keyOf(kind: number, ...parts: readonly Bytes[]): Bytes {
  return Buffer.concat([Buffer.from([kind]), ...parts])
}

function slotKey(address: Address, slot: Slot): Bytes {
  return keyOf(SLOT, hexToBytes(address), hexToBytes(slot))
}

function blockHashKey(number: number): Bytes {
  return keyOf(BLOCK_HASH, heightBytes(number))
}

function heightBytes(number: number): Bytes {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(number))
  return bytes
}

/** Queries for logs may be longer than a key. */
function replyKey(method: string, params: readonly unknown[]): Bytes {
  return keyOf(REPLY, keccak256(Buffer.from(JSON.stringify([method, params]))))
}

function encodeAccount({ account, storageRoot }: ForkedAccount): Bytes {
  if (account === undefined) return Buffer.from([ABSENT])
  const head = Buffer.alloc(ACCOUNT_HEAD)
  head[0] = storageRoot === undefined ? PRESENT : WITH_ROOT
  head.writeBigUInt64BE(account.nonce, 1)
  head.set(hexToBytes(account.codeHash), 9)
  if (storageRoot !== undefined) head.set(hexToBytes(storageRoot), 41)
  return Buffer.concat([head, bigintToBytes(account.balance)])
}

function decodeAccount(bytes: Bytes): ForkedAccount {
  const entry = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (entry[0] === ABSENT) return { account: undefined, storageRoot: undefined }
  return {
    account: {
      nonce: entry.readBigUInt64BE(1),
      codeHash: bytesToHash(entry.subarray(9, 41)),
      balance: bytesToBigint(entry.subarray(ACCOUNT_HEAD)),
    },
    storageRoot: entry[0] === WITH_ROOT ? bytesToHash(entry.subarray(41, ACCOUNT_HEAD)) : undefined,
  }
}
