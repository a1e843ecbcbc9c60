import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import type { Account } from '../account.ts'
import { HASH_LENGTH, type NodeReference } from './branch-encoding.ts'
import { type TrieNode, unresolvedNode } from './node.ts'

/** Value of an account's leaf. */
export interface AccountEntry {
  /** RLP of nonce, balance, storage root and code hash (Yellow Paper, 4.1). */
  readonly encoding: Bytes
  /** Its values are RLP words. */
  readonly storage: TrieNode<Bytes> | undefined
}

// Most accounts have neither storage nor code.
const EMPTY_TRIE_ROOT_BYTES = hexToBytes(EMPTY_TRIE_ROOT)
const EMPTY_CODE_HASH_BYTES = hexToBytes(EMPTY_CODE_HASH)

/** Nonce and balance follow two bytes of list prefix: the content always exceeds 55 bytes. */
const LIST_PREFIX = 2
const MAX_LENGTH = LIST_PREFIX + 9 + 3 * (1 + HASH_LENGTH)
const space = Buffer.alloc(MAX_LENGTH)

/** `storageRoot`: `undefined` without storage. */
export function encodeAccount(account: Account, storageRoot: NodeReference | undefined): Bytes {
  // By hand, since a flashblock encodes thousands.
  let end = writeQuantity(account.nonce, LIST_PREFIX)
  end = writeQuantity(account.balance, end)
  end = writeHash(storageRoot ?? EMPTY_TRIE_ROOT_BYTES, end)
  end = writeHash(account.codeHash === EMPTY_CODE_HASH ? EMPTY_CODE_HASH_BYTES : hexToBytes(account.codeHash), end)
  space[0] = 0xf8
  space[1] = end - LIST_PREFIX
  const encoding = Buffer.allocUnsafe(end)
  space.copy(encoding, 0, 0, end)
  return encoding
}

function writeQuantity(value: bigint, offset: number): number {
  if (value < 0x80n) {
    space[offset] = value === 0n ? 0x80 : Number(value)
    return offset + 1
  }
  const hex = value.toString(16)
  const length = space.write(hex.length % 2 === 0 ? hex : `0${hex}`, offset + 1, 'hex')
  space[offset] = 0x80 + length
  return offset + 1 + length
}

function writeHash(hash: Bytes, offset: number): number {
  space[offset] = 0x80 + HASH_LENGTH
  space.set(hash, offset + 1)
  return offset + 1 + HASH_LENGTH
}

/** The entry of a stored account; its storage is unresolved. */
export function decodeAccountEntry(encoding: Bytes): AccountEntry {
  return { encoding, storage: hasStorage(encoding) ? unresolvedNode(storageRootIn(encoding)) : undefined }
}

/** The root of the empty trie for an account without storage. */
export function storageRootIn(encoding: Bytes): NodeReference {
  const start = storageRootStart(encoding)
  return encoding.subarray(start, start + HASH_LENGTH)
}

function hasStorage(encoding: Bytes): boolean {
  const start = storageRootStart(encoding)
  for (let index = 0; index < HASH_LENGTH; index++) {
    if (encoding[start + index] !== EMPTY_TRIE_ROOT_BYTES[index]) return true
  }
  return false
}

/** The last two items are hashes with a prefix byte each. */
function storageRootStart(encoding: Bytes): number {
  return encoding.length - 2 * HASH_LENGTH - 1
}
