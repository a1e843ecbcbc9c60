import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import { encodeRlpIn } from '../../primitives/rlp.ts'
import type { Account } from '../account.ts'
import { HASH_LENGTH, type NodeReference } from './branch-encoding.ts'
import { type TrieNode, unresolvedNode } from './node.ts'

/** What the leaf of an account stands for. */
export interface AccountEntry {
  /** RLP of nonce, balance, root of `storage`, code hash (yellow paper, 4.1). */
  readonly encoding: Bytes
  /** Its values are the RLP of words. */
  readonly storage: TrieNode<Bytes> | undefined
}

// Most accounts have neither storage nor code.
const EMPTY_TRIE_ROOT_BYTES = hexToBytes(EMPTY_TRIE_ROOT)
const EMPTY_CODE_HASH_BYTES = hexToBytes(EMPTY_CODE_HASH)

/** Two bytes before the list; a nonce takes up to 9, the others up to 33. */
const MAX_LENGTH = 2 + 9 + 3 * 33

/** `storageRoot`: `undefined` without storage. */
export function encodeAccount(account: Account, storageRoot: NodeReference | undefined): Bytes {
  return encodeRlpIn(Buffer.allocUnsafe(MAX_LENGTH), [
    bigintToBytes(account.nonce),
    bigintToBytes(account.balance),
    storageRoot ?? EMPTY_TRIE_ROOT_BYTES,
    account.codeHash === EMPTY_CODE_HASH ? EMPTY_CODE_HASH_BYTES : hexToBytes(account.codeHash),
  ])
}

/** The entry of an account that was read; its storage is unresolved. */
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

/** The last two items are hashes, each behind a byte for its length. */
function storageRootStart(encoding: Bytes): number {
  return encoding.length - 2 * HASH_LENGTH - 1
}
