import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { ChainStore, SealedContent } from '../../state/chain-store/chain-store.ts'
import { mergeDiffs } from '../../state/diff.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { TrieNodeWrites } from '../../state/trie-node-source.ts'
import type { WorkMeter } from '../core/work-meter.ts'
import type { RecordLog } from '../log/record-log.ts'
import { ReplicatedLogError } from '../log/replicated-log.ts'
import type { BuiltBlock } from '../machine/head.ts'
import { leavesState } from '../machine/head-transitions.ts'
import type { RemoteTries } from '../tries/remote-tries.ts'
import { type UnwindingOptions, unwindStore } from './store-unwinding.ts'

/** Milliseconds of work between yields, in which flashblocks can be announced. */
const TIME_SLICE_MS = 1
/** Longest yield while the event loop is busy, in milliseconds. */
const MAX_YIELD_MS = 2
/** An event-loop tick shorter than this counts as idle, in milliseconds. */
const IDLE_ROUND_MS = 0.1

export interface ChainWriterOptions {
  /** Blocks between pool checkpoints, after which older records can be deleted. */
  readonly replayBlocks: number
}

export interface ChainWriterDeps {
  /** State trie of the newest block in the store. */
  readonly trie: StateTrie
  readonly chain: ChainStore
  readonly records: RecordLog
  /** Transactions for the next pool checkpoint; `undefined` if another node writes the records. */
  readonly waiting?: () => readonly PoolTransaction[] | undefined
  /** Called after each commit; the callee owns the snapshot. */
  readonly onStored: (snapshot: Snapshot, trie: StateTrie) => void
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Yields to the event loop. */
  readonly yieldTurn: () => Promise<void>
  /** Computes the trie nodes of blocks built by this node. Default: this thread. */
  readonly tries?: Pick<RemoteTries, 'nodeWrites' | 'stored'> | undefined
  readonly meter?: WorkMeter | undefined
}

/**
 * Cooperative yielding for background work. A serial client sends one request per round of the event loop; a step of
 * work in each round would take more of the thread than the requests.
 *
 * @param yieldTurn yields for one round of the event loop
 * @param now milliseconds on the monotonic clock
 */
export function backgroundYield(yieldTurn: () => Promise<void>, now: () => number): () => Promise<void> {
  return async () => {
    const end = now() + MAX_YIELD_MS
    for (let before = now(); before < end; ) {
      await yieldTurn()
      const after = now()
      if (after - before < IDLE_ROUND_MS) return
      before = after
    }
  }
}

/** Stores sealed blocks and deletes records that are no longer needed. */
export class ChainWriter {
  readonly #options: ChainWriterOptions
  readonly #deps: ChainWriterDeps
  /** State trie of the newest block in the store. */
  #trie: StateTrie
  #poolCheckpointBlock = Number.NEGATIVE_INFINITY

  constructor(options: ChainWriterOptions, deps: ChainWriterDeps) {
    this.#options = options
    this.#deps = deps
    this.#trie = deps.trie
  }

  /** Call after the store was restored or begins on another fork block; `trie` is that of its newest block. */
  reset(trie: StateTrie): void {
    this.#trie = trie
  }

  /**
   * Unwinds the store to block `target`, after its record is durable.
   *
   * @returns the newest block, which the caller owns, and its trie
   */
  async unwind(target: number, options: UnwindingOptions): Promise<{ base: Snapshot; baseTrie: StateTrie }> {
    const { chain } = this.#deps
    const before = chain.snapshot()
    try {
      const undone = await unwindStore(chain, before, this.#trie, { target, ...options })
      const base = chain.snapshot()
      this.#trie = undone.withSource(base.trieNodes)
      return { base, baseTrie: this.#trie }
    } finally {
      before.release()
    }
  }

  /**
   * Stores consecutive blocks in one commit.
   *
   * @param onAssembled called when the commit is assembled, and only the disk remains to be waited for
   */
  async write(blocks: readonly BuiltBlock[], onAssembled?: () => void): Promise<void> {
    const { chain, records, onStored, waiting, tries, now, meter } = this.#deps
    const start = now()
    // The records must not end below the store: recovery could not continue from there.
    await records.syncHere()
    const { block, trie } = blocks.at(-1)!
    const { number, stateRoot } = block.header
    const changing = blocks.findLast((built) => !leavesState(built)) ?? blocks[0]!
    const trieNodes =
      (await tries?.nodeWrites(this.#trie.root, changing.block.header.number, stateRoot)) ??
      (await this.#trieNodes(trie))
    const [first, ...following] = blocks.map(contentOf)
    const { poolCheckpoint } = records
    await chain.append({ ...first!, following, trieNodes, record: records.sealOf(number), poolCheckpoint }, onAssembled)
    const snapshot = chain.snapshot()
    tries?.stored(number)
    this.#trie = trie.withSource(snapshot.trieNodes)
    onStored(snapshot, this.#trie)
    if (number - this.#poolCheckpointBlock >= this.#options.replayBlocks) await this.#writePool(number, waiting?.())
    await records.retain(number)
    meter?.('commit', now() - start)
  }

  /** Writes a pool checkpoint. Older records are needed until it is durable. */
  async #writePool(number: number, waiting: readonly PoolTransaction[] | undefined): Promise<void> {
    const { records } = this.#deps
    if (waiting === undefined) return
    const sequence = records.append({ kind: 'pool', transactions: waiting })
    try {
      await records.sync()
    } catch (error) {
      // The announcer receives the same error and fails the node.
      if (error instanceof ReplicatedLogError) return
      throw error
    }
    records.poolCheckpoint = sequence
    this.#poolCheckpointBlock = number
  }

  async #trieNodes(trie: StateTrie): Promise<TrieNodeWrites> {
    const { now, yieldTurn } = this.#deps
    const steps = trie.writeSteps(this.#trie)
    let turnEnd = now() + TIME_SLICE_MS
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      if (now() < turnEnd) continue
      await yieldTurn()
      turnEnd = now() + TIME_SLICE_MS
    }
  }
}

function contentOf({ block, receipts, layers, prelude }: BuiltBlock): SealedContent {
  return { block, receipts, prelude: prelude && merged(prelude.diffs), diff: merged(layers.map(({ diff }) => diff)) }
}

function merged(diffs: readonly StateDiff[]): StateDiff {
  return diffs.length === 1 ? diffs[0]! : mergeDiffs(diffs)
}
