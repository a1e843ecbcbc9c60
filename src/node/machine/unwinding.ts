import type { Block } from '../../chain/block/block.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import type { UnwindRecord } from '../../state/records/record.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import { type ChainState, chainState, sealedPart } from './chain-state.ts'
import type { PendingAlterations } from './followed-content.ts'
import type { Head } from './head.ts'
import { RecoveryError } from './recovery-error.ts'

/**
 * The chain after an unwind record; its base may have to be unwound as well. A record of this node's own may begin
 * another chain at the height: another block 0, or another fork block.
 *
 * @throws RecoveryError when the target is not on this chain
 */
export function unwound(state: ChainState, { number, hash, alterations }: UnwindRecord, sequence: number): ChainState {
  const { content, roots } = state
  const { base, pending } = content
  const { blocks } = sealedPart(state)
  const isOwn = roots === undefined
  const target = blocks.find(({ block }) => block.header.number === number)
  // A chain on an earlier fork block begins below the oldest block of the store.
  const isBelow = number > 0 && number < base.oldestBlock
  const isKnown = !isBelow && (target?.block.hash ?? base.blockHash(number)) === hash
  if (!isKnown && !isOwn) throw new RecoveryError(`record ${sequence} goes back to block ${hash}, which is not here`)
  const newest = pending ?? blocks.at(-1)
  const removed = (newest?.block.header.number ?? base.number) - number
  const recent = isKnown ? blocks.filter(({ block }) => block.header.number <= number) : []
  const partials = isKnown ? content.partials.slice(removed) : []
  const altered = alterations && alteredBy(alterations)
  return chainState({ ...content, sequence, recent, pending: undefined, altered, partials }, { isOwn })
}

/** State changes from outside that an unwind record leaves after its block. */
export function alteredBy(alterations: StateDiff): PendingAlterations {
  return { diffs: [alterations], trie: undefined }
}

/** An unwound block: no view contains it any more. */
export interface UnwoundBlock {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  /** Whether it was sealed before. */
  readonly wasSealed: boolean
}

/** Blocks that are examined between yields. */
const BLOCKS_PER_STEP = 64

/**
 * Blocks above a height, newest first. Stored ones without user transactions and logs are left out, except the lowest:
 * there may be a million of them.
 */
export function removedBlocks(head: Head, number: number): readonly UnwoundBlock[] {
  const steps = removedBlockSteps(head, number)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** As `removedBlocks`, in steps. */
export function* removedBlockSteps(
  { pending, recent, base }: Head,
  number: number,
): Generator<void, readonly UnwoundBlock[]> {
  const blocks: UnwoundBlock[] = [{ block: pending.block, receipts: pending.receipts, wasSealed: false }]
  for (const { block, receipts } of [...recent].reverse()) {
    if (block.header.number > number) blocks.push({ block, receipts, wasSealed: true })
  }
  for (let height = base.number; height > number; height--) {
    if ((base.number - height + 1) % BLOCKS_PER_STEP === 0) yield
    if (height > number + 1 && isEmpty(base, height)) continue
    blocks.push({ block: base.block(height)!, receipts: base.receipts(height)!, wasSealed: true })
  }
  return blocks
}

function isEmpty(base: Snapshot, number: number): boolean {
  const { transactionsRoot, logsBloom } = base.header(number)!
  if (transactionsRoot === EMPTY_TRIE_ROOT) return true
  return logsBloom.every((byte) => byte === 0) && !base.hasUserTransactions(number)
}
