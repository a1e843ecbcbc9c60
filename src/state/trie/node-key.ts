import type { Bytes } from '../../primitives/hex.ts'
import { HEX_DIGITS, type Nibbles, nibbleAt } from './nibbles.ts'

/** Above every nibble, so that keys of storage tries and of the account trie are disjoint. */
const STORAGE = 0x10

/** Bytes of the key prefix of a storage trie: the mark, and the hash of the address. */
const STORAGE_PREFIX_BYTES = 33

/** Key prefix of the account trie. */
export const ACCOUNT_TRIE_PREFIX: Bytes = new Uint8Array(0)

/** Key prefix of an account's storage trie. `account`: its 64 nibbles in the account trie. */
export function storageTriePrefix(account: Nibbles): Bytes {
  const prefix = new Uint8Array(1 + account.length / 2)
  prefix[0] = STORAGE
  for (let index = 1; index < prefix.length; index++) {
    prefix[index] = (nibbleAt(account, 2 * index - 2) << 4) | nibbleAt(account, 2 * index - 1)
  }
  return prefix
}

/**
 * The key of a stored node (TrieNodeSource): its path, so that a new version replaces the old one and neighbours in the
 * trie are neighbours on disk.
 *
 * @param depth nibbles of `path` that lead to the node
 */
export function nodeKey(prefix: Bytes, path: Nibbles, depth = path.length): Bytes {
  // From the runtime's pool: a buffer for each costs more than writing it.
  const key = Buffer.allocUnsafe(prefix.length + depth)
  key.set(prefix)
  for (let index = 0; index < depth; index++) key[prefix.length + index] = nibbleAt(path, index)
  return key
}

/** Where a node is. */
export interface NodePlace {
  /** The 64 nibbles of the account in whose storage trie it is; `undefined`: it is in the account trie. */
  readonly account: Nibbles | undefined
  /** Its path in that trie. */
  readonly path: Nibbles
}

/** The place that a key names; the inverse of `nodeKey`. */
export function nodePlace(key: Bytes): NodePlace {
  if (key[0] !== STORAGE) return { account: undefined, path: nibblesIn(key) }
  const account = Buffer.from(key.subarray(1, STORAGE_PREFIX_BYTES)).toString('hex')
  return { account, path: nibblesIn(key.subarray(STORAGE_PREFIX_BYTES)) }
}

function nibblesIn(bytes: Bytes): Nibbles {
  return Array.from(bytes, (nibble) => HEX_DIGITS[nibble]).join('')
}
