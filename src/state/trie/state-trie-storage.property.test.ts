import { createMPT, verifyMerkleProof } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ADDRESSES, NaiveState, SLOTS, stateDiffs } from '../../../test/support/naive-state.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { accountsFrom, StoredNodes } from '../../../test/support/stored-trie-nodes.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Address, type Bytes, bytesToHex, type Hash, hexToBytes, type Slot } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { bigintToBytes, bigintToSlot } from '../../primitives/quantity.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import type { AccountChange, StateDiff } from '../state-diff.ts'
import type { TrieNodeSource, TrieNodeWrites } from '../trie-node-source.ts'
import { TrieNodeCache } from './node-cache.ts'
import { createStateTrie, openStateTrie, type StateTrie } from './state-trie.ts'

function wholeDiff({ contents }: NaiveState): StateDiff {
  const accounts = new Map<Address, AccountChange>()
  const storage = new Map<Address, ReadonlyMap<Slot, bigint>>()
  for (const [address, content] of contents) {
    accounts.set(address, { account: content.account, storageCleared: false })
    if (content.storage.size > 0) storage.set(address, content.storage)
  }
  return { accounts, storage, code: new Map() }
}

/** A diff that reverts a state: everything of the addresses that the diff names. */
function reverseDiff(diff: StateDiff, before: NaiveState): StateDiff {
  const accounts = new Map<Address, AccountChange>()
  const storage = new Map<Address, ReadonlyMap<Slot, bigint>>()
  for (const [address, { storageCleared }] of diff.accounts) {
    const account = before.account(address)
    accounts.set(address, { account, storageCleared: storageCleared && account === undefined })
    if (account !== undefined) storage.set(address, new Map(SLOTS.map((slot) => [slot, before.storage(address, slot)])))
  }
  return { accounts, storage, code: new Map() }
}

async function oracleOf(state: NaiveState) {
  const accounts = await createMPT({ useKeyHashing: true })
  const storages = new Map<Address, Awaited<ReturnType<typeof createMPT>>>()
  for (const [address, { account, storage }] of state.contents) {
    const trie = await createMPT({ useKeyHashing: true })
    for (const [slot, value] of storage) await trie.put(hexToBytes(slot), encodeRlp(bigintToBytes(value)))
    storages.set(address, trie)
    const { nonce, balance, codeHash } = account
    const fields = [bigintToBytes(nonce), bigintToBytes(balance), trie.root(), hexToBytes(codeHash)]
    await accounts.put(hexToBytes(address), encodeRlp(fields))
  }
  return { accounts, storages, root: bytesToHex(accounts.root()) as Hash }
}

const hexes = (proof: readonly Bytes[]) => proof.map(bytesToHex)

async function checkProofs(trie: StateTrie, state: NaiveState): Promise<void> {
  const { accounts, storages } = await oracleOf(state)
  for (const address of ADDRESSES) {
    const proof = trie.accountProof(address)
    const value = await accounts.get(hexToBytes(address))
    if (state.contents.size === 0) expect(proof).toEqual([])
    else expect(await verifyMerkleProof(hexToBytes(address), [...proof], HASHED)).toEqual(value)
    expect(hexes(proof)[0]).toBe(proof.length === 0 ? undefined : bytesToHex(await nodeOf(accounts)))
    const storage = storages.get(address)
    for (const slot of SLOTS) {
      const slotProof = trie.storageProof(address, slot)
      if (storage === undefined || state.contents.get(address)?.storage.size === 0) {
        expect(slotProof).toEqual([])
        continue
      }
      const word = await storage.get(hexToBytes(slot))
      expect(await verifyMerkleProof(hexToBytes(slot), [...slotProof], HASHED)).toEqual(word)
    }
  }
}

const HASHED = { useKeyHashing: true }

/** Keys below every leaf, in the account trie and in a storage trie. */
const NO_NODES = [Buffer.alloc(65), Buffer.concat([Uint8Array.of(0x10), Buffer.alloc(32 + 65)])]

function hashOf(trie: Awaited<ReturnType<typeof createMPT>>): Hash {
  return bytesToHex(trie.root()) as Hash
}

async function nodeOf(trie: Awaited<ReturnType<typeof createMPT>>): Promise<Bytes> {
  return (await trie.lookupNode(trie.root())).serialize()
}

const steps = fc.array(
  fc.record({
    diff: stateDiffs,
    action: fc.constantFrom('none', 'commit', 'commit', 'unwind', 'reopen', 'forget'),
    lag: fc.nat({ max: 3 }),
    /** Whether the roots are precomputed (`applyLazily`), and what to write. */
    isInNewStore: fc.boolean(),
  }),
  { maxLength: 12 },
)

const smallCache = () => new TrieNodeCache({ bytes: 2 ** 13 })

describe('StateTrie in storage', () => {
  it('holds the state and nothing else after any commits, unwinds, restarts and releases', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        let cache = smallCache()
        let state = new NaiveState()
        let nodes = new StoredNodes()
        let trie = createStateTrie().withSource(nodes, undefined, cache)
        let precomputed = trie
        const versions = [{ trie, state }]
        /** Since the stored one, oldest first. */
        let pending = [{ trie, precomputed, state }]
        for (const { diff, action, lag, isInNewStore } of script) {
          const before = { trie, state }
          state = state.after(diff)
          const { root, storages } = await oracleOf(state)
          const storageRoots = new Map([...storages].map(([address, storage]) => [address, hashOf(storage)]))
          trie = isInNewStore ? trie.applyLazily(diff, { root, storageRoots }) : trie.apply(diff)
          precomputed = precomputed.apply(diff)
          expect(trie.root).toBe(root)
          for (const [address, storageRoot] of storageRoots) expect(trie.storageRoot(address)).toBe(storageRoot)
          if (action === 'unwind') {
            const reverse = reverseDiff(diff, before.state)
            trie = trie.apply(reverse)
            precomputed = precomputed.apply(reverse)
            state = before.state
            expect(trie.root).toBe(before.trie.root)
          }
          versions.push({ trie, state })
          pending.push({ trie, precomputed, state })
          if (action === 'forget') cache = smallCache()
          if (action === 'none' || action === 'forget') continue
          const index = Math.max(0, pending.length - 1 - lag)
          const sealed = pending[index]!
          const stored = openStateTrie(pending[0]!.trie.root, nodes, cache)
          const oldNodes = nodes
          const [oldest, newest] = isInNewStore
            ? [pending[0]!.precomputed, sealed.precomputed]
            : [pending[0]!.trie, sealed.trie]
          const writes = newest.writesSince(action === 'commit' ? stored : oldest)
          nodes = nodes.after(writes)
          expect(nodes.nodes).toEqual(wholeStore(sealed.state).nodes)
          // Restored exactly.
          expect(nodes.after(stored.writesSince(newest)).nodes).toEqual(oldNodes.nodes)
          pending = pending.slice(index)
          trie = trie.withSource(nodes, sealed.trie, cache)
          precomputed = precomputed.withSource(nodes, sealed.precomputed, cache)
          if (action !== 'reopen' || pending.length > 1) continue
          trie = openStateTrie(sealed.trie.root, nodes, smallCache())
          precomputed = trie
          pending = [{ trie, precomputed, state }]
        }
        for (const version of versions) {
          const { root, storages } = await oracleOf(version.state)
          expect(version.trie.root).toBe(root)
          for (const address of ADDRESSES) {
            const storageRoot = storages.get(address)?.root()
            expect(version.trie.storageRoot(address)).toBe(storageRoot ? bytesToHex(storageRoot) : EMPTY_TRIE_ROOT)
          }
        }
        await checkProofs(trie, state)
        // By key, whether it is in memory or in the store.
        for (const [key, node] of wholeStore(state).nodes) expect(bytesToHex(trie.node(hexToBytes(key))!)).toBe(node)
        for (const key of NO_NODES) expect(trie.node(key)).toBeUndefined()
      }),
      { numRuns: propertyRuns(120) },
    )
  })

  it('reads nodes that it released', () => {
    const source = new CountingNodes()
    let trie = createStateTrie().withSource(source, undefined, new TrieNodeCache({ bytes: 2 ** 20 }))
    trie = trie.apply(accountsFrom(0, 500, 1n))
    source.commit(trie.writesSince(createStateTrie()))
    const later = trie.apply(accountsFrom(0, 3, 2n))
    const onDisk = later.withSource(source, trie, new TrieNodeCache({ bytes: 2 ** 20 }))
    source.reads = 0
    const after = onDisk.apply(accountsFrom(0, 3, 3n))
    expect(source.reads).toBe(0)
    expect(after.apply(accountsFrom(300, 301, 3n)).root).toBe(
      later.apply(accountsFrom(0, 3, 3n)).apply(accountsFrom(300, 301, 3n)).root,
    )
    expect(source.reads).toBeGreaterThan(0)
  })

  it('reads nothing for a prefetched diff', () => {
    const source = new CountingNodes()
    const full = createStateTrie().apply(accountsFrom(0, 500, 1n))
    source.commit(full.writesSince(createStateTrie()))
    const trie = openStateTrie(full.root, source, new TrieNodeCache({ bytes: 2 ** 20 }))
    const diff = accountsFrom(100, 140, 2n)
    trie.prefetch(diff)
    source.reads = 0
    expect(trie.apply(diff).root).toBe(full.apply(diff).root)
    expect(source.reads).toBe(0)
  })

  it('computes lazily applied nodes on demand, each once', () => {
    const source = new CountingNodes()
    const full = createStateTrie().apply(accountsFrom(0, 500, 1n))
    source.commit(full.writesSince(createStateTrie()))
    const diffs = [accountsFrom(0, 40, 2n), accountsFrom(100, 140, 3n)] as const
    const stored = openStateTrie(full.root, source, new TrieNodeCache({ bytes: 2 ** 20 }))
    const later = (trie: StateTrie, diff: StateDiff, root: Hash) =>
      trie.applyLazily(diff, { root, storageRoots: new Map() })
    const first = full.apply(diffs[0])
    const trie = later(later(stored, diffs[0], first.root), diffs[1], first.apply(diffs[1]).root)
    // For every head: nothing has been stored since.
    const shown = trie.withSource(source, stored)
    shown.prefetch(accountsFrom(200, 220, 4n))
    expect(shown.root).toBe(first.apply(diffs[1]).root)
    expect(source.reads).toBe(0)
    expect(shown.accountProof(ADDRESSES[0]!)).toEqual(first.apply(diffs[1]).accountProof(ADDRESSES[0]!))
    const { reads } = source
    expect(reads).toBeGreaterThan(0)
    const after = later(trie, accountsFrom(0, 40, 1n), first.apply(diffs[1]).apply(accountsFrom(0, 40, 1n)).root)
    expect(after.withSource(source, stored).accountProof(ADDRESSES[0]!)).toHaveLength(
      shown.accountProof(ADDRESSES[0]!).length,
    )
    expect(source.reads).toBe(reads)
  })

  it('applies each diff once for all heads, also after the store advanced within a block', () => {
    const source = new CountingNodes()
    const full = createStateTrie().apply(accountsFrom(0, 500, 1n))
    source.commit(full.writesSince(createStateTrie()))
    const cache = new TrieNodeCache({ bytes: 2 ** 20 })
    const stored = openStateTrie(full.root, source, cache)
    const moved = new StoredNodes().after(full.writesSince(createStateTrie()))
    let applied = 0
    let real = full
    let tip = stored
    for (let index = 0; index < 8; index++) {
      const diff = accountsFrom(40 * index, 40 * (index + 1), 2n)
      real = real.apply(diff)
      const accounts = countedEntries(diff.accounts, () => {
        applied += 1
      })
      tip = tip.applyLazily({ ...diff, accounts }, { root: real.root, storageRoots: new Map() })
      const shown = tip.withSource(moved, stored)
      expect(shown.accountProof(ADDRESSES[0]!)).toEqual(real.accountProof(ADDRESSES[0]!))
      expect(applied).toBe(40 * (index + 1))
    }
  })

  it('accepts as many diffs as a store can lag behind', () => {
    const diffs = [accountsFrom(0, 1, 1n), accountsFrom(0, 1, 2n)] as const
    const roots = diffs.map((diff) => createStateTrie().apply(diff).root)
    const stored = openStateTrie(EMPTY_TRIE_ROOT, new StoredNodes(), smallCache())
    let tip = stored
    for (let index = 0; index < 20_000; index++) {
      tip = tip.applyLazily(diffs[index % 2]!, { root: roots[index % 2]!, storageRoots: new Map() })
    }
    const shown = tip.withSource(new StoredNodes(), stored)
    expect(shown.accountProof(ADDRESSES[0]!)).toHaveLength(1)
  })

  it('computes lazily applied nodes in steps while others compute the same nodes', () => {
    const stored = openStateTrie(EMPTY_TRIE_ROOT, new StoredNodes(), smallCache())
    let real = createStateTrie()
    let tip = stored
    for (let index = 0; index < 4; index++) {
      const diff = accountsFrom(10 * index, 10 * (index + 1), 1n)
      real = real.apply(diff)
      tip = tip.applyLazily(diff, { root: real.root, storageRoots: new Map() })
    }
    const proof = real.accountProof(ADDRESSES[0]!)
    const steps = tip.makeSteps()
    expect(steps.next().done).toBe(false)
    expect(tip.accountProof(ADDRESSES[0]!)).toEqual(proof)
    for (const _ of steps) expect(tip.root).toBe(real.root)
    expect(tip.accountProof(ADDRESSES[0]!)).toEqual(proof)
  })

  it('rejects a root that does not match the diff', () => {
    const stored = openStateTrie(EMPTY_TRIE_ROOT, new StoredNodes(), smallCache())
    const { root } = createStateTrie().apply(accountsFrom(0, 1, 1n))
    const trie = stored.applyLazily(accountsFrom(0, 1, 2n), { root, storageRoots: new Map() })
    expect(() => trie.accountProof(ADDRESSES[0]!)).toThrow(root)
  })

  it('rejects a stored trie that it does not derive from', () => {
    const first = createStateTrie().apply(accountsFrom(0, 3, 1n))
    const sibling = createStateTrie().apply(accountsFrom(0, 4, 1n))
    expect(() => first.withSource(new StoredNodes(), sibling)).toThrow(RangeError)
  })

  it('names a missing or corrupt node', () => {
    const trie = createStateTrie().apply(accountsFrom(0, 100, 1n))
    const nodes = new StoredNodes().after(trie.writesSince(createStateTrie()))
    const change = accountsFrom(0, 100, 2n)
    expect(() => openStateTrie(trie.root, new StoredNodes()).apply(change)).toThrow(
      expect.objectContaining({ code: 'TRIE_NODE_MISSING', key: '0x' }),
    )
    for (const [key, node] of nodes.nodes) {
      const flipped = hexToBytes(node)
      flipped[flipped.length - 1]! ^= 1
      const broken = new StoredNodes(new Map([...nodes.nodes, [key, bytesToHex(flipped)]]))
      const apply = () => openStateTrie(trie.root, broken).apply(change)
      expect(apply).toThrow(expect.objectContaining({ code: 'TRIE_NODE_CORRUPT', key }))
    }
  })

  it('deletes the storage of a deleted account by its prefix', () => {
    const address = ADDRESSES[0]!
    const account = { nonce: 1n, balance: 0n, codeHash: EMPTY_CODE_HASH }
    const slots = new Map(Array.from({ length: 50 }, (_, index) => [bigintToSlot(BigInt(index)), 1n] as const))
    const full = createStateTrie().apply({
      accounts: new Map([[address, { account, storageCleared: false }]]),
      storage: new Map([[address, slots]]),
      code: new Map(),
    })
    const empty = full.apply({
      accounts: new Map([[address, { account: undefined, storageCleared: true }]]),
      storage: new Map(),
      code: new Map(),
    })
    const writes = empty.writesSince(full)
    expect(writes.puts).toHaveLength(0)
    expect(writes.deletes).toHaveLength(1)
    expect(writes.deletedPrefixes).toHaveLength(1)
    expect(new StoredNodes().after(full.writesSince(createStateTrie())).after(writes).nodes.size).toBe(0)
  })
})

function wholeStore(state: NaiveState): StoredNodes {
  return new StoredNodes().after(createStateTrie().apply(wholeDiff(state)).writesSince(createStateTrie()))
}

/** The same entries; `onEntry` is called for each one read. */
function countedEntries<K, V>(map: ReadonlyMap<K, V>, onEntry: () => void): ReadonlyMap<K, V> {
  return Object.assign(new Map(map), {
    *[Symbol.iterator]() {
      for (const entry of map) {
        onEntry()
        yield entry
      }
    },
  })
}

class CountingNodes implements TrieNodeSource {
  reads = 0
  #nodes = new StoredNodes()

  commit(writes: TrieNodeWrites): void {
    this.#nodes = this.#nodes.after(writes)
  }

  node(key: Bytes): Bytes | undefined {
    this.reads++
    return this.#nodes.node(key)
  }
}
