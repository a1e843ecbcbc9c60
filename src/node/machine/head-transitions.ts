import type { Hash } from '../../primitives/hex.ts'
import { mapPacked } from '../../primitives/map-packed.ts'
import { isEmptyDiff } from '../../state/diff.ts'
import type { Layer } from '../../state/layer.ts'
import { lazyLayerReader } from '../../state/layered-reader.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { type Finality, newestFinal } from './finality.ts'
import type { Alterations, BuiltBlock, Head, LayeredBlock, PartialBlock, PendingBlock, SealedTip } from './head.ts'

/** Sealed blocks whose partial hashes are retained. */
export const MAX_PARTIAL_BLOCKS = 64

/** The parts from which the rest of a head is derived. */
export interface HeadContent {
  readonly sequence: number
  readonly base: Snapshot
  /** State trie of `base`, read from it; the tries of all blocks above derive from it. */
  readonly baseTrie: StateTrie
  /** Sealed blocks above `base`, oldest first. */
  readonly recent: readonly BuiltBlock[]
  readonly pending: BuiltBlock
  readonly partials: Head['partials']
}

/**
 * The finalized block while `latest` is the newest: without a layer 1 it lies behind by time, never above the
 * newest stored block, and never below the block finalized before an unwind.
 */
export function finalizedHeight(
  latest: number,
  { number, finalizedBefore }: Pick<Snapshot, 'number' | 'finalizedBefore'>,
  finality: Finality,
): number {
  return Math.max(finalizedBefore, Math.min(number, newestFinal(latest, finality)))
}

/**
 * Builds a head from these parts. `safe` is the newest block that is stored and synced.
 *
 * @param options.finalizedBefore for a `base` older than the last unwind
 * @param options.before the previous head: its blocks serve this one as they are, if their base does
 */
export function assembleHead(
  content: HeadContent,
  finality: Finality,
  { finalizedBefore = 0, before }: { readonly finalizedBefore?: number; readonly before?: Head | undefined } = {},
): Head {
  const { sequence, base, baseTrie, recent, pending, partials } = content
  const latest = recent.at(-1)?.block.header.number ?? base.number
  const sealed: SealedTip = {
    latest,
    safe: base.number,
    finalized: Math.max(finalizedBefore, finalizedHeight(latest, base, finality)),
  }
  // Members by name: blocks of `recent` were built or come from an earlier head, and all must have one hidden class
  // here.
  const shown = before?.base === base && before.baseTrie === baseTrie ? before.recent : []
  let newest: { readonly before: StateTrie; readonly trie: StateTrie } | undefined
  const layered = mapPacked(recent, ({ block, receipts, layers, prelude, trie }, index): LayeredBlock => {
    // With the same successor, the alterations after it are the same, too.
    const isShown = shown[index]?.block === block && shown[index + 1]?.block === recent[index + 1]?.block
    if (isShown && index + 1 < recent.length) return shown[index]!
    // Thousands of blocks in a row may have the same trie.
    if (newest?.before !== trie) newest = { before: trie, trie: trie.withSource(base.trieNodes, baseTrie) }
    return {
      block,
      receipts,
      layers,
      prelude,
      trie: newest.trie,
      state: stateAbove(base, recent, (recent[index + 1] ?? pending).prelude, index + 1),
    }
  })
  const open = pendingBlock(pending, content)
  const baseState = stateAbove(base, [], (recent[0] ?? pending).prelude)
  return Object.freeze({ sequence, base, baseTrie, baseState, recent: layered, pending: open, sealed, partials })
}

function pendingBlock(
  pending: BuiltBlock,
  { base, baseTrie, recent }: Pick<HeadContent, 'base' | 'baseTrie' | 'recent'>,
): PendingBlock {
  return Object.freeze({
    block: pending.block,
    receipts: pending.receipts,
    layers: pending.layers,
    prelude: pending.prelude && onSource(pending.prelude, base, baseTrie),
    trie: pending.trie.withSource(base.trieNodes, baseTrie),
    state: stateAbove(base, [...recent, pending]),
    index: pending.layers.at(-1)!.index,
  })
}

/**
 * The same head with another open block on the same parent, whose tries derive from those of the head. They read from
 * the head's base already, and must not be rebased: a newer head may have been rebased in the meantime.
 */
export function withPending(head: Head, pending: BuiltBlock): Head {
  const { sequence, base, baseTrie, baseState, recent, sealed, partials } = head
  const { block, receipts, layers, prelude, trie } = pending
  const state = stateAbove(base, [...recent, pending])
  const open = Object.freeze({ block, receipts, layers, prelude, trie, state, index: layers.at(-1)!.index })
  return Object.freeze({ sequence, base, baseTrie, baseState, recent, pending: open, sealed, partials })
}

/** The same head with other `safe` and `finalized` blocks. */
export function withFinality(head: Head, { safe, finalized }: Pick<SealedTip, 'safe' | 'finalized'>): Head {
  const { sequence, base, baseTrie, baseState, recent, pending, sealed, partials } = head
  const tip: SealedTip = { latest: sealed.latest, safe, finalized }
  return Object.freeze({ sequence, base, baseTrie, baseState, recent, pending, sealed: tip, partials })
}

/** Adds a flashblock to the open block; the previous hash becomes that of a partial block. */
export function withFlashblock(head: HeadContent, pending: BuiltBlock, sequence: number): HeadContent {
  const [current, ...older] = head.partials
  const partial = partialOf(head.pending)
  return { ...head, sequence, pending, partials: [new Map(current).set(partial.hash, partial), ...older] }
}

/** Seals the open block and opens the next one on it. */
export function withSeal(head: HeadContent, opened: BuiltBlock, sequence: number): HeadContent {
  return {
    ...head,
    sequence,
    recent: [...head.recent, head.pending],
    pending: opened,
    partials: [new Map<Hash, PartialBlock>(), ...head.partials.slice(0, MAX_PARTIAL_BLOCKS)],
  }
}

/** Moves the base to newer stored blocks. Requests see no change except `safe`. */
export function withBase<Content extends Pick<HeadContent, 'base' | 'baseTrie' | 'recent'>>(
  head: Content,
  base: Snapshot,
  baseTrie: StateTrie,
): Content {
  return { ...head, base, baseTrie, recent: head.recent.filter(({ block }) => block.header.number > base.number) }
}

/**
 * State after `blocks`, oldest first, which follow the snapshot without a gap, and after the alterations of the last
 * one, if there are any.
 *
 * @param count of blocks; the others are above the state
 */
export function stateAbove(
  base: Snapshot,
  blocks: readonly BuiltBlock[],
  altered?: Pick<Alterations, 'diffs'>,
  count = blocks.length,
): StateReader {
  const below = base.stateAt(base.number)!
  if (count === 0 && altered === undefined) return below
  return lazyLayerReader(below, () => {
    const included = blocks.slice(0, count)
    return {
      // Thousands of blocks that leave the state as it is may be mined together.
      layers: [...included.flatMap(changesOf), ...preludeChanges(altered)].filter(({ diff }) => !isEmptyDiff(diff)),
      // The EVM requests hashes of lower blocks only, never of the block that it executes.
      blockHashes: new Map(included.map(({ block }) => [block.header.number, block.hash] as const)),
    }
  })
}

/** State after a flashblock of the open block, by its partial hash; `undefined`: none has that hash. */
export function stateAfterFlashblock(
  { base, recent, pending }: Pick<Head, 'base' | 'recent' | 'pending'>,
  hash: Hash,
): StateReader | undefined {
  const { layers } = pending
  const count = layers.findIndex((layer) => layer.hash === hash) + 1
  if (count === layers.length) return pending.state
  return count === 0 ? undefined : stateAbove(base, [...recent, { ...pending, layers: layers.slice(0, count) }])
}

/** A sealed block of a head, above its base. */
export function sealedIn({ base, recent }: Pick<Head, 'base' | 'recent'>, number: number): LayeredBlock {
  return recent[number - base.number - 1]!
}

/** State changes of a block, oldest first, with those from outside before it. */
export function changesOf({ prelude, layers }: Pick<BuiltBlock, 'prelude' | 'layers'>): readonly Pick<Layer, 'diff'>[] {
  return prelude === undefined ? layers : [...preludeChanges(prelude), ...layers]
}

/** Whether the state after a block is that before it: it has no transactions and made no opening calls. */
export function leavesState({ layers, prelude }: Pick<BuiltBlock, 'layers' | 'prelude'>): boolean {
  return prelude === undefined && layers.every(({ diff, receipts }) => receipts.length === 0 && isEmptyDiff(diff))
}

function preludeChanges(prelude: Pick<Alterations, 'diffs'> | undefined): readonly Pick<Layer, 'diff'>[] {
  return prelude?.diffs.map((diff) => ({ diff })) ?? []
}

function onSource({ diffs, trie }: Alterations, base: Snapshot, baseTrie: StateTrie): Alterations {
  return { diffs, trie: trie.withSource(base.trieNodes, baseTrie) }
}

/** The current block as a partial block, when another flashblock follows. */
export function partialOf({ block, layers }: Pick<BuiltBlock, 'block' | 'layers'>): PartialBlock {
  const { header, hash, transactions, size } = block
  return { header, hash, transactionCount: transactions.length, index: layers.at(-1)!.index, size }
}
