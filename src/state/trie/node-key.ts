import type { Bytes } from '../../primitives/hex.ts'
import { type Nibbles, nibbleAt } from './nibbles.ts'

/** Above every nibble, so that no key of a storage trie is one of the account trie. */
const STORAGE = 0x10

/** What the keys of all nodes of the account trie begin with. */
export const ACCOUNT_TRIE_PREFIX: Bytes = new Uint8Array(0)

/** What the keys of all nodes of an account's storage trie begin with. `account`: its 64 nibbles in the account trie. */
export function storageTriePrefix(account: Nibbles): Bytes {
  const prefix = new Uint8Array(1 + account.length / 2)
  prefix[0] = STORAGE
  for (let index = 1; index < prefix.length; index++) {
    prefix[index] = (nibbleAt(account, 2 * index - 2) << 4) | nibbleAt(account, 2 * index - 1)
  }
  return prefix
}

/**
 * The key under which a node is stored (TrieNodeSource): by its path, so that a new version of a node replaces the old
 * one, and nodes that stand together in the trie do so on disk.
 *
 * @param depth how many nibbles of `path` lead to the node
 */
export function nodeKey(prefix: Bytes, path: Nibbles, depth = path.length): Bytes {
  // Of memory that many share: an array buffer for each costs more than writing it.
  const key = Buffer.allocUnsafe(prefix.length + depth)
  key.set(prefix)
  for (let index = 0; index < depth; index++) key[prefix.length + index] = nibbleAt(path, index)
  return key
}
