import type { Block } from '../../chain/block/block.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import { mergeDiffs } from '../../state/diff.ts'
import { whenLoaded } from '../../state/missing-state.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { TrieNodeCache } from '../../state/trie/node-cache.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { storedTrie } from '../forking/fork-base.ts'
import type { NumberedRecord } from '../log/journal.ts'
import type { Finality } from '../machine/finality.ts'
import { finalizedHeight } from '../machine/head-transitions.ts'
import { alignedHeight } from './store-alignment.ts'

export interface UnwindingOptions {
  /** Finalized blocks stay finalized. */
  readonly finality: Finality
  /** Whether the records of the chain are applied again. Default: false. */
  readonly isReplayed?: boolean | undefined
  /** Replaces block 0 if that is the target. */
  readonly genesis?: Block | undefined
}

/**
 * Unwinds all stored blocks above `target`, tries included, and returns the resulting trie.
 *
 * @param snapshot of the newest block, with its trie
 */
export async function unwindStore(
  chain: ChainStore,
  snapshot: Snapshot,
  newest: StateTrie,
  { target, finality, isReplayed = false, genesis }: UnwindingOptions & { readonly target: number },
): Promise<StateTrie> {
  // The cache of a fork may have evicted values that the blocks overwrote.
  const trie = await whenLoaded(() => trieBefore(snapshot, newest, target))
  // A replica may have to unwind below its finalized block.
  const finalized = Math.min(target, finalizedHeight(snapshot.number, snapshot, finality))
  await chain.unwind(target, trie.writesSince(newest), { finalized, isReplayed }, genesis)
  return trie
}

/** The state trie after block `target`, computed from what the blocks above it overwrote. */
export function trieBefore(snapshot: Snapshot, newest: StateTrie, target: number): StateTrie {
  return target === snapshot.number ? newest : newest.apply(mergeDiffs(reverseDiffs(snapshot, target)))
}

/** Newest first. Most blocks change the same accounts: together they are applied once. */
function* reverseDiffs(snapshot: Snapshot, target: number): Iterable<StateDiff> {
  for (let number = snapshot.number; number > target; number--) yield snapshot.reverseDiff(number)!
}

/** Completes an unwind of the store that the end of the process interrupted. */
export async function alignStore(
  chain: ChainStore,
  records: Iterable<NumberedRecord>,
  { cache, finality }: { readonly cache: TrieNodeCache; readonly finality: Finality },
): Promise<void> {
  const snapshot = chain.snapshot()
  try {
    const { number } = snapshot
    const target = alignedHeight(records, number, (height) => snapshot.block(height)?.hash)
    if (target === number) return
    const newest = storedTrie(snapshot, cache)
    await unwindStore(chain, snapshot, newest, { target, finality })
  } finally {
    snapshot.release()
  }
}
