import { DiffMerger } from '../../state/diff.ts'
import { diffParts } from '../../state/diff-parts.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { type BlockView, PROOF_WINDOW, type View } from './view.ts'

/** Size of the changes of one step, about 200 accounts: with their hashes they take a few milliseconds. */
const STEP_BYTES = 20_000
/** Tries that are kept per snapshot; the least recently computed one leaves first. */
const MAX_KEPT = 4

/** Tries by height. They read from the snapshot, so they are of use as long as it is. */
const kept = new WeakMap<Snapshot, Map<number, StateTrie>>()

/** Whether proofs of a block are served: it is at most the window, or `PROOF_WINDOW` blocks, below the newest one. */
export function hasProofs(
  { head }: View,
  { number, timestamp }: { number: number; timestamp: bigint },
  windowSeconds: number,
): boolean {
  const { base } = head
  if (base.number - number <= PROOF_WINDOW || windowSeconds === Number.POSITIVE_INFINITY) return true
  return base.header(base.number)!.timestamp - timestamp <= BigInt(windowSeconds)
}

/**
 * The oldest block with proofs. Timestamps rise with heights, so it is found by bisection.
 *
 * @param windowSeconds `Infinity`: all blocks with state
 */
export function oldestProofs(view: View, windowSeconds: number): number {
  const { base } = view.head
  let oldest = Math.max(base.oldestState, view.forkBlock ?? 0)
  let newest = base.number
  while (oldest < newest) {
    const middle = Math.floor((oldest + newest) / 2)
    const { timestamp } = base.header(middle)!
    if (hasProofs(view, { number: middle, timestamp }, windowSeconds)) newest = middle
    else oldest = middle + 1
  }
  return oldest
}

/**
 * The trie after a stored block, computed in steps of a few milliseconds from what the blocks above it overwrote: their
 * changes are merged, since most blocks change the same accounts, and applied to the nearest trie above.
 *
 * @param view retained until the last step
 * @throws StatePrunedError; MissingStateError on a fork
 */
export function* oldTrieSteps({ head }: View, { block }: BlockView): Generator<void, StateTrie> {
  const { base, baseTrie } = head
  const target = block.header.number
  const tries = kept.get(base) ?? new Map<number, StateTrie>()
  kept.set(base, tries)
  const above = Math.min(base.number, ...[...tries.keys()].filter((number) => number >= target))
  const merger = new DiffMerger()
  for (let number = above; number > target; number--) {
    merger.add(base.reverseDiff(number)!)
    yield
  }
  let trie = tries.get(above) ?? baseTrie
  for (const part of diffParts(merger.merged(), STEP_BYTES)) {
    trie = trie.apply(part)
    // Hashes of this step, which the last one would have to compute together.
    void trie.root
    yield
  }
  tries.delete(target)
  tries.set(target, trie)
  if (tries.size > MAX_KEPT) tries.delete(tries.keys().next().value!)
  return trie
}
