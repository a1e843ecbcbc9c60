import type { Flashblock } from '../engine/build-block.ts'
import type { Hash } from '../primitives/hex.ts'
import { layerReader } from '../state/layered-reader.ts'
import type { Snapshot } from '../state/snapshot.ts'
import type { StateReader } from '../state/state-reader.ts'
import type { Head, PartialBlock, PendingBlock, SealedTip } from './head.ts'

/** So many sealed blocks are still found by the hashes that they had while they were open (design section 4). */
export const PARTIAL_BLOCKS_KEPT = 64

/** The open block with its first flashblock, on the state after its parent. */
export function openPending(first: Flashblock, parentState: StateReader): PendingBlock {
  return pendingOf(first, [first.layer], parentState)
}

/** The open block with one more flashblock. */
export function extendPending(pending: PendingBlock, next: Flashblock, parentState: StateReader): PendingBlock {
  return pendingOf(next, [...pending.layers, next.layer], parentState)
}

/** A flashblock was added to the open block: its hash so far now names a part of it. */
export function withFlashblock(head: Head, pending: PendingBlock): Head {
  const [current, ...older] = head.partials
  const partial = partialOf(head.pending)
  return Object.freeze({
    ...head,
    sequence: head.sequence + 1,
    pending,
    partials: [new Map(current).set(partial.hash, partial), ...older],
  })
}

/** The open block was sealed as it was, and the next one opened on top of it. */
export function withSeal(head: Head, base: Snapshot, sealed: SealedTip, opened: PendingBlock): Head {
  return Object.freeze({
    sequence: head.sequence + 1,
    base,
    recent: [],
    pending: opened,
    sealed,
    partials: [new Map<Hash, PartialBlock>(), ...head.partials.slice(0, PARTIAL_BLOCKS_KEPT)],
  })
}

/** The three tags when `latest` is the newest sealed block; without a layer 1, finality is a depth (design section 7). */
export function sealedTip(latest: number, finalityDepth: number): SealedTip {
  return { latest, safe: latest, finalized: Math.max(0, latest - finalityDepth) }
}

function pendingOf(flashblock: Flashblock, layers: PendingBlock['layers'], parentState: StateReader): PendingBlock {
  const { block, receipts, trie, layer } = flashblock
  // The open block's own hash is not known to code that runs in it; its parent's state knows all earlier ones.
  const state = layerReader(parentState, layers, new Map())
  return Object.freeze({ block, receipts, layers, trie, state, index: layer.index })
}

function partialOf(pending: PendingBlock): PartialBlock {
  const { header, hash, transactions, size } = pending.block
  return { header, hash, transactionCount: transactions.length, size }
}
