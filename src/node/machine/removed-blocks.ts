import type { Block } from '../../chain/block/block.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { Head } from './head.ts'

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
