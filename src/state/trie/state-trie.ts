import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Address, type Bytes, bytesToHex, type Hash, hexToBytes, type Slot } from '../../primitives/hex.ts'
import type { StateDiff } from '../state-diff.ts'
import type { TrieNodeSource, TrieNodeWrites } from '../trie-node-source.ts'
import { type AccountEntry, decodeAccountEntry, storageRootIn } from './account-entry.ts'
import { entryAfter } from './entry-change.ts'
import type { Nibbles } from './nibbles.ts'
import { rootHash, rootReference, type TrieNode, unresolvedNode } from './node.ts'
import { TrieNodeCache } from './node-cache.ts'
import { ACCOUNT_TRIE_PREFIX, nodePlace, storageTriePrefix } from './node-key.ts'
import { leavesFrom } from './node-leaves.ts'
import { nodeAtPath, nodeProof } from './node-proof.ts'
import { type NodeStorage, readNode } from './node-reading.ts'
import { nodeWrites } from './node-writes.ts'
import { secureKey } from './secure-key.ts'
import { memoryContext, type TrieContext } from './trie-context.ts'
import { lookUp, type TrieChange, update } from './update.ts'

/** Ancestry of a trie, by identity; cut off at a stored trie. */
interface Lineage {
  readonly version: number
  previous: Lineage | undefined
}

/** Precomputed roots of a trie, for example from the trie thread. */
export interface PrecomputedRoots {
  readonly root: Hash
  /** For accounts whose storage root is needed on its own. */
  readonly storageRoots: ReadonlyMap<Address, Hash>
}

/** A trie whose nodes are computed on the first walk. */
interface Deferred {
  readonly before: StateTrie
  readonly diff: StateDiff
  readonly made: Made
}

/**
 * The nodes of a deferred trie, shared by all tries that represent it on different snapshots. Unresolved nodes are in
 * the snapshot on which they were computed and in every newer one.
 */
interface Made {
  nodes?: { readonly root: TrieNode<AccountEntry> | undefined; readonly stored: number }
}

interface StateTrieDeps {
  readonly node: TrieNode<AccountEntry> | undefined
  readonly lineage: Lineage
  /** Nodes up to this version are in `storage` (TrieContext). */
  readonly stored: number
  /** Absent: everything is in memory. */
  readonly storage: NodeStorage | undefined
  /** Instead of `node`. */
  readonly deferred?: Deferred | undefined
  readonly precomputed?: PrecomputedRoots | undefined
}

/**
 * The trie of an empty state, entirely in memory until `withSource`.
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
 * A stored trie. Nodes are read when an update or a proof reaches them.
 *
 * @param root of the state whose trie `source` holds
 * @param cache shared by all tries of a process. Default: a new one
 * @example openStateTrie(header.stateRoot, snapshot.trieNodes, cache)
 */
export function openStateTrie(root: Hash, source: TrieNodeSource, cache = new TrieNodeCache()): StateTrie {
  return new StateTrie({
    node: storedNode(root),
    lineage: { version: 0, previous: undefined },
    stored: 0,
    storage: { source, cache },
  })
}

/**
 * The Merkle-Patricia trie over all accounts and their storage. Immutable: applying a diff returns a new trie that
 * shares all unchanged nodes, so that every head keeps its own root for free. Nodes changed since the stored trie are
 * in memory; others are read by path and checked against their hash.
 */
export class StateTrie implements TrieNodeSource {
  readonly #deps: Omit<StateTrieDeps, 'node' | 'deferred'>
  readonly #accounts: TrieContext<AccountEntry>
  #made: TrieNode<AccountEntry> | undefined
  #deferred: Deferred | undefined
  #root: Hash | undefined

  /** @see createStateTrie, openStateTrie */
  constructor({ node, deferred, ...deps }: StateTrieDeps) {
    this.#deps = deps
    this.#made = node
    this.#deferred = deferred
    this.#root = deps.precomputed?.root
    this.#accounts = this.#context(ACCOUNT_TRIE_PREFIX, encodeEntry, decodeAccountEntry)
  }

  /** Computed once; hashes only what changed since the trie that it derives from. */
  get root(): Hash {
    this.#root ??= rootHash(this.#node, encodeEntry)
    return this.#root
  }

  get #node(): TrieNode<AccountEntry> | undefined {
    const steps = this.makeSteps()
    while (steps.next().done !== true);
    return this.#made
  }

  /**
   * Computes the nodes deferred by `applyLazily`, one diff a step.
   *
   * @throws TrieNodeError; Error when a root differs from the precomputed one
   */
  *makeSteps(): Generator<void, void> {
    const deferred: StateTrie[] = []
    for (let trie: StateTrie = this; !trie.#isMade(); trie = trie.#deferred!.before) deferred.push(trie)
    for (let trie = deferred.pop(); trie !== undefined; trie = deferred.pop()) {
      // Another walk may have computed it during a yield.
      if (!trie.#isMade()) trie.#make()
      if (deferred.length > 0) yield
    }
  }

  /** Adopts nodes computed on the same or an older snapshot. */
  #isMade(): boolean {
    if (this.#deferred === undefined) return true
    const { nodes } = this.#deferred.made
    if (nodes === undefined || nodes.stored > this.#deps.stored) return false
    this.#made = nodes.root
    this.#deferred = undefined
    return true
  }

  #make(): void {
    const { before, diff, made } = this.#deferred!
    const root = before.#nodeAfter(diff)
    const hash = rootHash(root, encodeEntry)
    if (hash !== this.root) throw new Error(`a diff that gives the state root ${hash} was said to give ${this.root}`)
    made.nodes = { root, stored: this.#deps.stored }
    this.#made = root
    this.#deferred = undefined
  }

  /** The root of the empty trie for an account without storage or an absent account. */
  storageRoot(address: Address): Hash {
    const precomputed = this.#deps.precomputed?.storageRoots.get(address)
    if (precomputed !== undefined) return precomputed
    const entry = lookUp(this.#node, secureKey(address), this.#accounts)
    return entry === undefined ? EMPTY_TRIE_ROOT : (bytesToHex(storageRootIn(entry.encoding)) as Hash)
  }

  /**
   * Reads the nodes that `apply` will need into the cache: for a diff that is known ahead of time, such as that of a
   * transaction before its flashblock is complete. Has no other effect, and none at all on a deferred trie
   * (`applyLazily`).
   *
   * @throws TrieNodeError
   */
  prefetch(diff: StateDiff): void {
    const { storage } = this.#deps
    if (storage === undefined || this.#deferred !== undefined) return
    const trie = new StateTrie({ ...this.#deps, node: this.#made, storage: { ...storage, keepsLeaves: true } })
    for (const address of diff.accounts.keys()) {
      const key = secureKey(address)
      const entry = lookUp(trie.#node, key, trie.#accounts)
      const slots = diff.storage.get(address)
      if (entry?.storage === undefined || slots === undefined) continue
      const words = trie.#words(key)
      for (const slot of slots.keys()) lookUp(entry.storage, secureKey(slot), words)
    }
  }

  /** @throws TrieNodeError, as all methods, when the stored trie is incomplete */
  apply(diff: StateDiff): StateTrie {
    const after = this.#nodeAfter(diff)
    return after === this.#node ? this : new StateTrie({ node: after, ...this.#following() })
  }

  /**
   * As `apply`, with precomputed roots: the nodes of this trie and its ancestors are computed on the first walk.
   *
   * @example trie.applyLazily(diff, { root: header.stateRoot, storageRoots: new Map() })
   */
  applyLazily(diff: StateDiff, precomputed: PrecomputedRoots): StateTrie {
    if (precomputed.root === this.root) return this
    return new StateTrie({
      node: undefined,
      deferred: { before: this, diff, made: {} },
      precomputed,
      ...this.#following(),
    })
  }

  /** For the trie that derives from this one. */
  #following(): Omit<StateTrieDeps, 'node'> {
    const { lineage, stored, storage } = this.#deps
    return { lineage: { version: this.#accounts.version, previous: lineage }, stored, storage }
  }

  #nodeAfter(diff: StateDiff): TrieNode<AccountEntry> | undefined {
    const changes: TrieChange<AccountEntry>[] = []
    for (const [address, change] of diff.accounts) {
      const key = secureKey(address)
      const slots = diff.storage.get(address)
      const context = { stored: this.#deps.stored, words: () => this.#words(key) }
      changes.push({ key, after: (before) => entryAfter(before, change, slots, context) })
    }
    return update(this.#node, changes, this.#accounts)
  }

  /**
   * The same trie once `stored`, itself or an ancestor by `apply` alone, is what `source` holds. Nodes are read from
   * there from now on, and stored nodes in memory are released as updates pass them. `stored` is the newest so far:
   * older ones cannot be given any more.
   *
   * @param cache for tries that were all in memory so far. Default: the one in use, or a new one
   * @throws RangeError when this trie does not derive from `stored`
   */
  withSource(source: TrieNodeSource, stored: StateTrie = this, cache?: TrieNodeCache): StateTrie {
    const { storage } = this.#deps
    const ancestor = this.#ancestor(stored)
    if (ancestor === undefined)
      throw new RangeError('a trie can only be rebased on a stored trie from which it derives')
    ancestor.previous = undefined
    return this.#upon(ancestor.version, { source, cache: cache ?? storage?.cache ?? new TrieNodeCache() })
  }

  /** The lineage of `trie` if this one derives from it. */
  #ancestor(trie: StateTrie): Lineage | undefined {
    let ancestor: Lineage | undefined = this.#deps.lineage
    while (ancestor !== undefined && ancestor !== trie.#deps.lineage) ancestor = ancestor.previous
    return ancestor
  }

  /**
   * Rebinds to `storage`, which holds everything up to `stored`. A loop: a thousand flashblocks may be above the store.
   */
  #upon(stored: number, storage: NodeStorage): StateTrie {
    const deferred: StateTrie[] = []
    let trie: StateTrie = this
    while (!trie.#reads(stored, storage) && !trie.#isMade() && trie.#deps.lineage.version > stored) {
      deferred.push(trie)
      trie = trie.#deferred!.before
    }
    let upon = trie.#reads(stored, storage) ? trie : trie.#storedUpon(stored, storage)
    for (let next = deferred.pop(); next !== undefined; next = deferred.pop()) {
      const { lineage, precomputed } = next.#deps
      const { diff, made } = next.#deferred!
      upon = new StateTrie({
        node: undefined,
        lineage,
        precomputed,
        stored,
        storage,
        deferred: { before: upon, diff, made },
      })
    }
    return upon
  }

  #reads(stored: number, { source, cache }: NodeStorage): boolean {
    const { storage } = this.#deps
    return this.#deps.stored === stored && storage?.source === source && storage.cache === cache
  }

  /** For a computed or stored trie. */
  #storedUpon(stored: number, storage: NodeStorage): StateTrie {
    const { lineage, precomputed } = this.#deps
    const node = this.#deferred === undefined ? this.#made : storedNode(this.root)
    const isStored = node !== undefined && node.version <= stored
    const reference = isStored ? unresolvedNode(rootReference(node, encodeEntry)) : node
    return new StateTrie({ node: reference, lineage, precomputed, stored, storage })
  }

  /**
   * Writes that turn the stored nodes of `older` into those of this trie; see `writeSteps` for a large one.
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

  /**
   * As `writesSince` in steps of about a millisecond, between which the caller can yield; deferred diffs take a step
   * each.
   */
  *writeSteps(older: StateTrie): Generator<void, TrieNodeWrites> {
    if (!this.#isMade()) {
      const { lineage, storage } = older.#deps
      // The storage it read from may be released by now; that of `older` is in use.
      const made = this.#ancestor(older) && storage ? this.#upon(lineage.version, storage) : this
      yield* made.makeSteps()
      return yield* made.writeSteps(older)
    }
    const target = { puts: [], deletes: [], cache: this.#deps.storage?.cache ?? older.#deps.storage?.cache }
    const deletedPrefixes: Bytes[] = []
    const after = new Map<Nibbles, AccountEntry>()
    const before = new Map<Nibbles, AccountEntry>()
    yield* nodeWrites(
      { root: this.#node, context: this.#accounts, onLeaf: (key, entry) => after.set(key, entry) },
      { root: older.#node, context: older.#accounts, onLeaf: (key, entry) => before.set(key, entry) },
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

  /** A node by its key in a store (TrieNodeSource). */
  node(key: Bytes): Bytes | undefined {
    const { account, path } = nodePlace(key)
    if (account === undefined) return nodeAtPath(this.#node, path, this.#accounts)
    return nodeAtPath(lookUp(this.#node, account, this.#accounts)?.storage, path, this.#words(account))
  }

  /** RLP of the nodes from the root to the account, or to where its absence shows (EIP-1186, `accountProof`). */
  accountProof(address: Address): readonly Bytes[] {
    return nodeProof(this.#node, secureKey(address), this.#accounts)
  }

  /** As `accountProof`, in the account's storage trie (EIP-1186, `storageProof`); empty for an empty trie. */
  storageProof(address: Address, slot: Slot): readonly Bytes[] {
    const key = secureKey(address)
    const entry = lookUp(this.#node, key, this.#accounts)
    return nodeProof(entry?.storage, secureKey(slot), this.#words(key))
  }

  /**
   * The storage of an account in the order of its trie, from the first slot whose hash is at or after `start`. Lazy.
   *
   * @yields the slot's hash and the RLP of its value
   */
  *storageFrom(address: Address, start: Nibbles): Generator<{ readonly key: Nibbles; readonly value: Bytes }, void> {
    const key = secureKey(address)
    yield* leavesFrom(lookUp(this.#node, key, this.#accounts)?.storage, start, this.#words(key))
  }

  /** Context of an account's storage trie. */
  #words(account: Nibbles): TrieContext<Bytes> {
    return this.#context(storageTriePrefix(account), itself, itself)
  }

  #context<V>(prefix: Bytes, encode: (value: V) => Bytes, decode: (bytes: Bytes) => V): TrieContext<V> {
    const { storage, stored, lineage } = this.#deps
    if (storage === undefined) return { ...memoryContext(encode), version: lineage.version + 1 }
    return {
      version: lineage.version + 1,
      stored,
      encode,
      onGap: storage.source.onGap,
      resolve: (reference, path, depth) => readNode(storage, reference, prefix, path, depth, decode),
    }
  }
}

function storedNode(root: Hash): TrieNode<AccountEntry> | undefined {
  return root === EMPTY_TRIE_ROOT ? undefined : unresolvedNode(hexToBytes(root))
}

function encodeEntry({ encoding }: AccountEntry): Bytes {
  return encoding
}

function itself(bytes: Bytes): Bytes {
  return bytes
}
