import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Address, type Bytes, bytesToHex, type Hash, hexToBytes, type Slot } from '../../primitives/hex.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import { clearsStorage } from '../diff.ts'
import type { AccountChange, StateDiff } from '../state-diff.ts'
import { type AccountEntry, decodeAccountEntry, encodeAccount, storageRootIn } from './account-entry.ts'
import type { Nibbles } from './nibbles.ts'
import { rootHash, rootReference, type TrieNode, unresolvedNode } from './node.ts'
import { TrieNodeCache } from './node-cache.ts'
import { ACCOUNT_TRIE_PREFIX, storageTriePrefix } from './node-key.ts'
import { nodeProof } from './node-proof.ts'
import { type NodeStorage, readNode } from './node-reading.ts'
import { nodeWrites } from './node-writes.ts'
import { secureKey } from './secure-key.ts'
import { memoryContext, type TrieContext } from './trie-context.ts'
import type { TrieNodeSource, TrieNodeWrites } from './trie-node-source.ts'
import { lookUp, type TrieChange, update } from './update.ts'

/** The tries that a trie came from, by identity; what lies before a stored one is cut off. */
interface Lineage {
  readonly version: number
  previous: Lineage | undefined
}

interface StateTrieParts {
  readonly node: TrieNode<AccountEntry> | undefined
  readonly lineage: Lineage
  /** Nodes up to this version are found in `storage` (TrieContext). */
  readonly stored: number
  /** Absent: all is in memory. */
  readonly storage: NodeStorage | undefined
}

/**
 * The trie of a state without accounts; all of it is in memory until `withSource`.
 *
 * @example createStateTrie().apply(diff).root
 */
export function createStateTrie(): StateTrie {
  return new StateTrie({
    node: undefined,
    lineage: { version: 0, previous: undefined },
    stored: 0,
    storage: undefined,
  })
}

/**
 * The trie that is stored. Nodes are read when an update or a proof walks through them.
 *
 * @param root of the state that `source` holds the trie of
 * @param cache give all tries of a process the same one; left out: a new one of the default size
 * @example openStateTrie(header.stateRoot, snapshot.trieNodes, cache)
 */
export function openStateTrie(root: Hash, source: TrieNodeSource, cache = new TrieNodeCache()): StateTrie {
  return new StateTrie({
    node: root === EMPTY_TRIE_ROOT ? undefined : unresolvedNode(hexToBytes(root)),
    lineage: { version: 0, previous: undefined },
    stored: 0,
    storage: { source, cache },
  })
}

/**
 * The Merkle-Patricia trie over all accounts (and over the storage of each). Immutable: applying a diff gives a new
 * trie that shares all untouched nodes, so every held head keeps its own root at no cost. Nodes that were changed since
 * what is stored are in memory, the others are read by their path and checked against their hash.
 */
export class StateTrie {
  readonly #parts: StateTrieParts
  readonly #accounts: TrieContext<AccountEntry>
  #root: Hash | undefined

  /** @see createStateTrie, openStateTrie */
  constructor(parts: StateTrieParts) {
    this.#parts = parts
    this.#accounts = this.#context(ACCOUNT_TRIE_PREFIX, encodeEntry, decodeAccountEntry)
  }

  /** Hashes only what changed since the trie it came from, once. */
  get root(): Hash {
    this.#root ??= rootHash(this.#parts.node, encodeEntry)
    return this.#root
  }

  /** The root of the empty trie when the account has no storage or does not exist. */
  storageRoot(address: Address): Hash {
    const entry = lookUp(this.#parts.node, secureKey(address), this.#accounts)
    return entry === undefined ? EMPTY_TRIE_ROOT : (bytesToHex(storageRootIn(entry.encoding)) as Hash)
  }

  /**
   * Reads what `apply` will walk through, so that it finds it in the cache: for a diff that is known before the moment
   * that counts, such as that of a transaction before its flashblock is complete. Changes nothing.
   *
   * @throws TrieNodeError
   */
  prefetch(diff: StateDiff): void {
    const { storage } = this.#parts
    if (storage === undefined) return
    const trie = new StateTrie({ ...this.#parts, storage: { ...storage, keepsLeaves: true } })
    for (const address of diff.accounts.keys()) {
      const key = secureKey(address)
      const entry = lookUp(trie.#parts.node, key, trie.#accounts)
      const slots = diff.storage.get(address)
      if (entry?.storage === undefined || slots === undefined) continue
      const words = trie.#words(key)
      for (const slot of slots.keys()) lookUp(entry.storage, secureKey(slot), words)
    }
  }

  /** @throws TrieNodeError, as all methods, when what is stored is not whole */
  apply(diff: StateDiff): StateTrie {
    const { node, lineage } = this.#parts
    const changes: TrieChange<AccountEntry>[] = []
    for (const [address, change] of diff.accounts) {
      const key = secureKey(address)
      const slots = diff.storage.get(address)
      changes.push({ key, after: (before) => this.#entryAfter(key, before, change, slots) })
    }
    const after = update(node, changes, this.#accounts)
    if (after === node) return this
    const version = this.#accounts.version
    return new StateTrie({ ...this.#parts, node: after, lineage: { version, previous: lineage } })
  }

  /**
   * The same trie, after `stored` was: that one, or one that it came from by `apply` alone, is what `source` holds. From
   * now on nodes are read from there, and those in memory that are stored are let go of, as updates pass by. `stored` is
   * the newest so far: none before it can be named again.
   *
   * @param cache of tries that were all in memory so far; left out: the one in use, or a new one
   * @throws RangeError when this trie did not come from `stored`
   */
  withSource(source: TrieNodeSource, stored: StateTrie = this, cache?: TrieNodeCache): StateTrie {
    const { node, lineage, storage } = this.#parts
    const { version } = stored.#parts.lineage
    let ancestor: Lineage | undefined = lineage
    while (ancestor !== undefined && ancestor !== stored.#parts.lineage) ancestor = ancestor.previous
    if (ancestor === undefined) throw new RangeError('a trie can only go on from a stored trie that it came from')
    ancestor.previous = undefined
    return new StateTrie({
      node: node && node.version <= version ? unresolvedNode(rootReference(node, encodeEntry)) : node,
      lineage,
      stored: version,
      storage: { source, cache: cache ?? storage?.cache ?? new TrieNodeCache() },
    })
  }

  /**
   * What turns the stored nodes of `older` into those of this trie; see `writeSteps` for a large one.
   *
   * @example batch = trie.writesSince(openStateTrie(parent.stateRoot, snapshot.trieNodes, cache))
   */
  writesSince(older: StateTrie): TrieNodeWrites {
    const steps = this.writeSteps(older)
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
    }
  }

  /** The same in steps of about a millisecond, so that the caller can let others run between them. */
  *writeSteps(older: StateTrie): Generator<void, TrieNodeWrites> {
    const target = { puts: [], deletes: [], cache: this.#parts.storage?.cache ?? older.#parts.storage?.cache }
    const deletedPrefixes: Bytes[] = []
    const after = new Map<Nibbles, AccountEntry>()
    const before = new Map<Nibbles, AccountEntry>()
    yield* nodeWrites(
      { root: this.#parts.node, context: this.#accounts, onLeaf: (key, entry) => after.set(key, entry) },
      { root: older.#parts.node, context: older.#accounts, onLeaf: (key, entry) => before.set(key, entry) },
      ACCOUNT_TRIE_PREFIX,
      target,
    )
    for (const key of new Set([...after.keys(), ...before.keys()])) {
      const storage = after.get(key)?.storage
      const old = before.get(key)?.storage
      if (storage === old) continue
      const prefix = storageTriePrefix(key)
      if (storage === undefined) deletedPrefixes.push(prefix)
      else {
        yield* nodeWrites(
          { root: storage, context: this.#words(key) },
          { root: old, context: older.#words(key) },
          prefix,
          target,
        )
      }
    }
    return { puts: target.puts, deletes: target.deletes, deletedPrefixes }
  }

  /** RLP of the nodes from the root to the account, or to where its absence shows (EIP-1186, `accountProof`). */
  accountProof(address: Address): readonly Bytes[] {
    return nodeProof(this.#parts.node, secureKey(address), this.#accounts)
  }

  /** The same in the account's storage trie (EIP-1186, `storageProof`); nothing when that is empty. */
  storageProof(address: Address, slot: Slot): readonly Bytes[] {
    const key = secureKey(address)
    const entry = lookUp(this.#parts.node, key, this.#accounts)
    return nodeProof(entry?.storage, secureKey(slot), this.#words(key))
  }

  /** The same object when nothing changes. */
  #entryAfter(
    key: Nibbles,
    before: AccountEntry | undefined,
    change: AccountChange,
    slots: ReadonlyMap<Slot, bigint> | undefined,
  ): AccountEntry | undefined {
    if (change.account === undefined) return undefined
    const kept = clearsStorage(change) ? undefined : before?.storage
    const storage = slots === undefined ? kept : update(kept, slotChanges(slots), this.#words(key))
    const isKept = before !== undefined && storage === before.storage
    const storageRoot =
      storage === undefined ? undefined : isKept ? storageRootIn(before.encoding) : rootReference(storage, itself)
    const encoding = encodeAccount(change.account, storageRoot)
    if (isKept && sameBytes(encoding, before.encoding)) return before
    const isStored = isKept && storage !== undefined && storage.version <= this.#parts.stored
    return { encoding, storage: isStored ? unresolvedNode(storageRootIn(encoding)) : storage }
  }

  /** For the storage trie of an account. */
  #words(account: Nibbles): TrieContext<Bytes> {
    return this.#context(storageTriePrefix(account), itself, itself)
  }

  #context<V>(prefix: Bytes, encode: (value: V) => Bytes, decode: (bytes: Bytes) => V): TrieContext<V> {
    const { storage, stored, lineage } = this.#parts
    if (storage === undefined) return { ...memoryContext(encode), version: lineage.version + 1 }
    return {
      version: lineage.version + 1,
      stored,
      encode,
      resolve: (reference, path, depth) => readNode(storage, reference, prefix, path, depth, decode),
    }
  }
}

function slotChanges(slots: ReadonlyMap<Slot, bigint>): TrieChange<Bytes>[] {
  const changes: TrieChange<Bytes>[] = []
  for (const [slot, value] of slots) {
    const word = value === 0n ? undefined : encodeRlp(value)
    const after = (before: Bytes | undefined) =>
      before !== undefined && word !== undefined && sameBytes(before, word) ? before : word
    changes.push({ key: secureKey(slot), after })
  }
  return changes
}

function encodeEntry({ encoding }: AccountEntry): Bytes {
  return encoding
}

function itself(bytes: Bytes): Bytes {
  return bytes
}

function sameBytes(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) return false
  }
  return true
}
