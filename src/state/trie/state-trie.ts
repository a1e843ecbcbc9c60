import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import type { Address, Bytes, Hash, Slot } from '../../primitives/hex.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import type { Account } from '../account.ts'
import { sameAccount } from '../account.ts'
import { clearsStorage } from '../diff.ts'
import type { StateDiff } from '../state-diff.ts'
import { rootHash, type TrieNode } from './node.ts'
import { secureKey } from './secure-key.ts'
import { lookUp, type TrieChange, update } from './update.ts'

/**
 * The Merkle-Patricia trie over all accounts (and over the storage of each). Immutable: applying a diff gives a new
 * trie that shares all untouched nodes, so every held head keeps its own root at no cost.
 */
export interface StateTrie {
  /** Hashes only what changed since the trie it came from, once. */
  readonly root: Hash
  /** The root of the empty trie when the account has no storage or does not exist. */
  storageRoot(address: Address): Hash
  apply(diff: StateDiff): StateTrie
}

/**
 * The trie of a state without accounts.
 *
 * @example createStateTrie().apply(diff).root
 */
export function createStateTrie(): StateTrie {
  return new MerkleStateTrie(undefined)
}

// Most accounts have neither storage nor code.
const EMPTY_TRIE_ROOT_BYTES = hexToBytes(EMPTY_TRIE_ROOT)
const EMPTY_CODE_HASH_BYTES = hexToBytes(EMPTY_CODE_HASH)

/** What an account's leaf stands for; its encoding holds the root of `storage`. */
interface AccountEntry {
  readonly account: Account
  readonly storage: TrieNode<bigint> | undefined
}

class MerkleStateTrie implements StateTrie {
  readonly #node: TrieNode<AccountEntry> | undefined

  constructor(node: TrieNode<AccountEntry> | undefined) {
    this.#node = node
  }

  get root(): Hash {
    return rootHash(this.#node, encodeAccount)
  }

  storageRoot(address: Address): Hash {
    const entry = lookUp(this.#node, secureKey(address))
    return entry === undefined ? EMPTY_TRIE_ROOT : rootHash(entry.storage, encodeWord)
  }

  apply(diff: StateDiff): StateTrie {
    const changes: TrieChange<AccountEntry>[] = []
    for (const [address, change] of diff.accounts) {
      const key = secureKey(address)
      const before = lookUp(this.#node, key)
      if (change.account === undefined) {
        if (before !== undefined) changes.push({ key, value: undefined })
        continue
      }
      const kept = clearsStorage(change) ? undefined : before?.storage
      const storage = update(kept, slotChanges(diff.storage.get(address)))
      if (before === undefined || before.storage !== storage || !sameAccount(before.account, change.account)) {
        changes.push({ key, value: { account: change.account, storage } })
      }
    }
    return changes.length === 0 ? this : new MerkleStateTrie(update(this.#node, changes))
  }
}

function slotChanges(slots: ReadonlyMap<Slot, bigint> | undefined): TrieChange<bigint>[] {
  const changes: TrieChange<bigint>[] = []
  for (const [slot, value] of slots ?? [])
    changes.push({ key: secureKey(slot), value: value === 0n ? undefined : value })
  return changes
}

function encodeAccount({ account, storage }: AccountEntry): Bytes {
  return encodeRlp([
    bigintToBytes(account.nonce),
    bigintToBytes(account.balance),
    storage === undefined ? EMPTY_TRIE_ROOT_BYTES : hexToBytes(rootHash(storage, encodeWord)),
    account.codeHash === EMPTY_CODE_HASH ? EMPTY_CODE_HASH_BYTES : hexToBytes(account.codeHash),
  ])
}

function encodeWord(value: bigint): Bytes {
  return encodeRlp(bigintToBytes(value))
}
