import { MESSAGE_PASSER_ADDRESS } from '../../chain/constants.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { AccountChange } from '../../state/state-diff.ts'
import type { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { openStateTrie, type PrecomputedRoots, type StateTrie } from '../../state/trie/state-trie.ts'
import type { TrieNodeWrites } from '../../state/trie-node-source.ts'
import type { LayerDiff } from './layer-diff.ts'

export interface TrieFollowerDeps {
  /** The store of the leader, read-only. */
  readonly chain: Pick<ChainStore, 'snapshot'>
  readonly cache: TrieNodeCache
}

const UNKNOWN_CHANGE: AccountChange = { account: undefined, storageCleared: false }

/** The stored trie with the applied diffs. */
interface Followed {
  readonly base: Snapshot
  readonly baseTrie: StateTrie
  /** After the last flashblock of each block above the base, oldest first. */
  readonly blocks: Map<number, StateTrie>
  tip: StateTrie
}

/**
 * The state tries of a chain that another thread builds: each diff is applied once, and the nodes of a block are
 * returned when it is stored.
 *
 * @example follower.begin(layers); follower.apply(parent.stateRoot, { number, diff }).root
 */
export class TrieFollower {
  readonly #deps: TrieFollowerDeps
  #followed: Followed | undefined

  constructor(deps: TrieFollowerDeps) {
    this.#deps = deps
  }

  /**
   * Starts from the current store.
   *
   * @param layers diffs to the parent of the next flashblock, oldest first
   */
  begin(layers: readonly LayerDiff[]): void {
    this.end()
    const { chain, cache } = this.#deps
    this.#followed = released(chain.snapshot(), (base) => {
      const baseTrie = openStateTrie(base.header(base.number)!.stateRoot, base.trieNodes, cache)
      const followed: Followed = { base, baseTrie, blocks: new Map(), tip: baseTrie }
      for (const layer of layers) {
        if (layer.number > base.number) applyTo(followed, layer)
      }
      return followed
    })
  }

  /** Prefetches trie nodes of these accounts that are not cached. */
  prefetch(addresses: readonly Address[]): void {
    const accounts = new Map(addresses.map((address) => [address, UNKNOWN_CHANGE] as const))
    this.#followed?.tip.prefetch({ accounts, storage: new Map(), code: new Map() })
  }

  /**
   * Applies one more flashblock.
   *
   * @param before root of the trie to apply to
   * @throws Error when that is not the newest one here; TrieNodeError
   */
  apply(before: Hash, layer: LayerDiff): PrecomputedRoots {
    const followed = this.#following()
    if (followed.tip.root !== before)
      throw new Error(`the newest state root here is ${followed.tip.root}, not ${before}`)
    const { tip } = applyTo(followed, layer)
    // A layer-2 header contains it.
    const storageRoots = new Map([[MESSAGE_PASSER_ADDRESS, tip.storageRoot(MESSAGE_PASSER_ADDRESS)]])
    return { root: tip.root, storageRoots }
  }

  /** The store has new blocks: reads from there and releases the previous snapshot. */
  moveOn(): void {
    const followed = this.#following()
    const base = this.#deps.chain.snapshot()
    if (base.number === followed.base.number) {
      base.release()
      return
    }
    this.#followed = released(base, () => {
      const baseTrie = followed.blocks.get(base.number)
      const { stateRoot } = base.header(base.number)!
      if (baseTrie?.root !== stateRoot) throw new Error(`block ${base.number} was stored with another state than here`)
      const upon = (trie: StateTrie) => trie.withSource(base.trieNodes, baseTrie)
      const above = [...followed.blocks].filter(([number]) => number > base.number)
      const blocks = new Map(above.map(([number, trie]) => [number, upon(trie)]))
      return { base, baseTrie: upon(baseTrie), blocks, tip: upon(followed.tip) }
    })
    followed.base.release()
  }

  /**
   * The node writes that replace the stored trie with root `before` by that of block `number`, in steps of about a
   * millisecond.
   *
   * @param root of that block's state
   * @throws Error if either root differs here, or following has ended; TrieNodeError
   */
  *writeSteps(before: Hash, number: number, root: Hash): Generator<void, TrieNodeWrites> {
    const followed = this.#following()
    const { baseTrie, base } = followed
    const trie = followed.blocks.get(number)
    if (baseTrie.root !== before || trie?.root !== root) {
      throw new Error(`block ${number} with the state root ${root} after ${before} is unknown`)
    }
    const steps = trie.writeSteps(baseTrie)
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      yield
      // Flashblocks continue meanwhile; the snapshot of these nodes must stay.
      if (this.#followed?.base !== base) throw new Error('what is stored has changed')
    }
  }

  /** Releases the snapshot. */
  end(): void {
    this.#followed?.base.release()
    this.#followed = undefined
  }

  #following(): Followed {
    if (this.#followed === undefined) throw new Error('flashblocks are not followed')
    return this.#followed
  }
}

function applyTo(followed: Followed, { number, diff }: LayerDiff): Followed {
  followed.tip = followed.tip.apply(diff)
  followed.blocks.set(number, followed.tip)
  return followed
}

/** Runs work on a snapshot, which is released on failure. */
function released<T>(snapshot: Snapshot, use: (snapshot: Snapshot) => T): T {
  try {
    return use(snapshot)
  } catch (error) {
    snapshot.release()
    throw error
  }
}
