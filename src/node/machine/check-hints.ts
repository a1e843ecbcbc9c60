import { isDeepStrictEqual } from 'node:util'
import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
import type { BuiltFlashblock } from '../../engine/block/build-block.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import { diffItem } from '../../state/records/diff-codec.ts'
import { decodeRecord, encodeRecord } from '../../state/records/record.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { NumberedRecord } from '../log/journal.ts'
import { type Applied, applyRecord, type Effect, type Hints } from './apply-record.ts'
import type { ChainState } from './chain-state.ts'
import type { BuiltBlock } from './head.ts'

/**
 * Checks that a record gives a follower, which has only its bytes, the chain that it gave the leader with hints. For
 * tests and for the search of faults: it does the work of a follower on the leader's thread.
 *
 * @param led the result with hints
 * @throws Error if a follower finds another chain
 */
export function checkHints(before: ChainState, { sequence, record }: NumberedRecord, hints: Hints, led: Applied): void {
  const recorded = decodeRecord(encodeRecord(record))
  const followed = applyRecord(before, { sequence, record: recorded }, { next: hints.next })
  const [follower, leader] = [summaryOf(followed), summaryOf(led)]
  if (isDeepStrictEqual(follower, leader)) return
  const different = Object.keys(follower).filter((part) => !isDeepStrictEqual(follower[part], leader[part]))
  throw new Error(`record ${sequence} (${record.kind}) gives followers another chain: ${different.join(', ')} differ`)
}

/** The parts that a head shows or a later record builds on, encoded. Older blocks were compared when they were new. */
function summaryOf({ state: { content, isSealed, withheld }, effects }: Applied): Record<string, unknown> {
  const { sequence, base, recent, pending, altered, partials } = content
  return {
    sequence,
    base: base.number,
    isSealed,
    recent: [recent.length, ...recent.slice(-1).map(summaryOfBlock)],
    pending: pending && summaryOfBlock(pending),
    altered: altered && { diffs: altered.diffs.map(encodedDiff), root: altered.trie?.root },
    partials: partials.map((hashes) => [...hashes.keys()]),
    withheld: [withheld.flashblocks.map(nameOf), withheld.sealed.map(({ block }) => block.hash)],
    effects: effects.map(summaryOfEffect),
  }
}

function summaryOfBlock({ block, receipts, layers, prelude, trie }: BuiltBlock) {
  return {
    hash: block.hash,
    size: block.size,
    transactions: block.transactions.map(({ hash }) => hash),
    receipts: receipts.map(encodeReceipt),
    layers: layers.map((layer) => [layer.hash, layer.firstTransaction, encodeRecord({ kind: 'flashblock', ...layer })]),
    prelude: prelude && { diffs: prelude.diffs.map(encodedDiff), root: prelude.trie.root },
    root: trie.root,
  }
}

function summaryOfEffect(effect: Effect) {
  if (effect.kind === 'unwind') return { ...effect, record: encodeRecord(effect.record) }
  if (effect.kind !== 'show') return effect
  const { kind, sequence, flashblocks, sealed } = effect
  return { kind, sequence, flashblocks: flashblocks.map(nameOf), sealed: sealed.map(({ block }) => block.hash) }
}

function nameOf({ block, layer }: BuiltFlashblock) {
  return [block.hash, layer.index]
}

function encodedDiff(diff: StateDiff): Uint8Array {
  return encodeRlp(diffItem(diff))
}
