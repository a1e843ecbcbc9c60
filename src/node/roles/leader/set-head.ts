import type { PoolTransaction } from '../../../chain/transaction/transaction.ts'
import type { ChainStore } from '../../../state/chain-store/chain-store.ts'
import type { BlockWriter } from '../../core/block-writer.ts'
import type { ChainWriter } from '../../core/chain-writer.ts'
import type { UnwoundBlock } from '../../core/events.ts'
import type { SetHeadRefusal, SetHeadResult } from '../../core/results.ts'
import type { Journal } from '../../log/journal.ts'
import type { Head } from '../../replay/head.ts'
import { unwindStore } from '../../replay/store-unwinding.ts'
import type { Announcer } from './announcer.ts'
import type { BlockAssembler } from './block-assembler.ts'
import type { BlockDriver } from './block-driver.ts'

export interface SetHeadDeps {
  readonly chain: ChainStore
  readonly journal: Journal
  readonly writer: BlockWriter
  readonly chainWriter: ChainWriter
  readonly announcer: Announcer
  readonly assembler: BlockAssembler
  /** Stopped. */
  readonly driver: BlockDriver
  readonly head: () => Head
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
  /** Transactions that are acknowledged, or will be, and are in no flashblock yet. */
  readonly waiting: () => readonly PoolTransaction[]
  readonly onUnwound: (blocks: readonly UnwoundBlock[]) => void
}

/** Whether the chain may be unwound to a block: never below the finalized block or the oldest retained state. */
export function setHeadRefusal(
  number: number,
  { sealed, base }: Pick<Head, 'sealed' | 'base'>,
): SetHeadRefusal | undefined {
  const { latest, finalized } = sealed
  const { oldestState } = base
  if (number > latest) return { code: 'ABOVE_LATEST', number, latest }
  if (number < finalized) return { code: 'BELOW_FINALIZED', number, finalized }
  if (number < oldestState) return { code: 'STATE_PRUNED', number, oldest: oldestState }
  return undefined
}

/**
 * Unwinds the chain to a sealed block: first in the records, so that the next start completes an interrupted unwind,
 * then in the store, then in the head together with the first flashblock of the next block.
 *
 * @throws errors of the disk; the node must then stop
 */
export async function setHead(number: number, deps: SetHeadDeps): Promise<SetHeadResult> {
  const { chain, journal, writer, chainWriter, announcer, assembler, driver } = deps
  const early = setHeadRefusal(number, deps.head())
  if (early !== undefined) return { kind: 'refused', refusal: early }
  assembler.end()
  await writer.idle()
  const head = deps.head()
  // Meanwhile a block may have been sealed, others finalized, and old state pruned.
  const refusal = setHeadRefusal(number, head)
  if (refusal !== undefined) {
    const { block, receipts, state, trie, index } = head.pending
    const above = [...head.recent, head.pending]
    assembler.resume({ block, receipts, state, trie, index, snapshot: head.base, above })
    return { kind: 'refused', refusal }
  }
  const before = chain.snapshot()
  try {
    const { hash } = before.block(number)!
    // Recovery takes the pool from this record: transactions of unwound blocks do not return.
    journal.append({ kind: 'pool', transactions: deps.waiting() })
    const sequence = journal.append({ kind: 'unwind', number, hash })
    await journal.sync()
    const removed = removedBlocks(deps.head(), number)
    const undone = await unwindStore(chain, before, deps.head().baseTrie, {
      target: number,
      finalityDepth: deps.finalityDepth,
    })
    const base = chain.snapshot()
    const baseTrie = undone.withSource(base.trieNodes)
    chainWriter.reset(baseTrie)
    announcer.reset({
      base,
      baseTrie,
      recent: [],
      partials: head.partials.slice(1 + head.sealed.latest - number),
      sequence,
    })
    deps.onUnwound(removed)
    const parent = announcer.parent()
    const instant = driver.openingTime
    const replaced = removed.at(-1)!.block.header.timestamp
    await assembler.start(parent, { ...driver.opening(instant), replaced })
    driver.opened(instant)
    return { kind: 'unwound' }
  } finally {
    before.release()
  }
}

export function removedBlocks({ pending, recent, base }: Head, number: number): readonly UnwoundBlock[] {
  const blocks: UnwoundBlock[] = [{ block: pending.block, receipts: pending.receipts, wasSealed: false }]
  for (const { block, receipts } of [...recent].reverse()) {
    if (block.header.number > number) blocks.push({ block, receipts, wasSealed: true })
  }
  for (let height = base.number; height > number; height--) {
    blocks.push({ block: base.block(height)!, receipts: base.receipts(height)!, wasSealed: true })
  }
  return blocks
}
