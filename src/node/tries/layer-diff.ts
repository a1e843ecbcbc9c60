import type { Bytes } from '../../primitives/hex.ts'
import { decodeRlp, encodeRlp } from '../../primitives/rlp.ts'
import { diffItem, readDiff } from '../../state/codecs/diff-codec.ts'
import type { Layer } from '../../state/layer.ts'
import type { StateDiff } from '../../state/state-diff.ts'

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

export function diffOfLayer({ header, diff }: Layer): LayerDiff {
  return { number: header.number, diff }
}

export function encodeLayerDiff({ number, diff }: LayerDiff): EncodedLayerDiff {
  return { number, diff: new Uint8Array(encodeRlp(diffItem({ ...diff, code: new Map() }))) }
}

/** @throws RlpError */
export function decodeLayerDiff({ number, diff }: EncodedLayerDiff): LayerDiff {
  return { number, diff: readDiff(decodeRlp(diff)) }
}
