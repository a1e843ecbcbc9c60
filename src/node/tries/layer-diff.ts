import type { Bytes } from '../../primitives/hex.ts'
import { decodeRlp, encodeRlp } from '../../primitives/rlp.ts'
import { diffItem, readDiff } from '../../state/records/diff-codec.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { Alterations, BuiltBlock } from '../machine/head.ts'

/** The state diff of a flashblock. */
export interface LayerDiff {
  /** Number of its block. */
  readonly number: number
  readonly diff: StateDiff
}

/** A `LayerDiff` as it is sent to another thread. */
export interface EncodedLayerDiff {
  readonly number: number
  /** The diff as RLP, without new code, which no trie contains. In memory of its own, so that it can be transferred. */
  readonly diff: Bytes
}

/** The diffs of a block, oldest first, with its prelude. */
export function diffsOfBlock({
  block,
  layers,
  prelude,
}: Pick<BuiltBlock, 'block' | 'layers' | 'prelude'>): readonly LayerDiff[] {
  const { number } = block.header
  return [...preludeDiffs(number, prelude), ...layers.map(({ diff }) => ({ number, diff }))]
}

/** @param number of the block that follows the alterations */
export function preludeDiffs(number: number, prelude: Alterations | undefined): readonly LayerDiff[] {
  return prelude?.diffs.map((diff) => ({ number, diff })) ?? []
}

export function encodeLayerDiff({ number, diff }: LayerDiff): EncodedLayerDiff {
  return { number, diff: new Uint8Array(encodeRlp(diffItem({ ...diff, code: new Map() }))) }
}

/** @throws RlpError */
export function decodeLayerDiff({ number, diff }: EncodedLayerDiff): LayerDiff {
  return { number, diff: readDiff(decodeRlp(diff)) }
}
