import type { Block } from '../../chain/block/block.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { ChainBelow } from '../../state/chain-below.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import { emptyDiff } from '../../state/diff.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { SetHeadRefusal, SetHeadResult } from '../core/results.ts'
import { type NextBlockSettings, settingsOnce } from '../development/next-block.ts'
import type { StatePruned } from '../development/snapshots.ts'
import { storedTrie } from '../forking/fork-base.ts'
import type { Journal } from '../log/journal.ts'
import type { Finality } from '../machine/finality.ts'
import type { Head } from '../machine/head.ts'
import { removedBlockSteps, removedBlocks, type UnwoundBlock } from '../machine/unwinding.ts'
import type { BlockWriter } from '../store/block-writer.ts'
import type { ChainWriter } from '../store/chain-writer.ts'
import type { BlockDriver } from './block-driver.ts'
import type { Announcer } from './building/announcer.ts'
import type { BlockAssembler } from './building/block-assembler.ts'
import type { NextBlock } from './building/next-block.ts'

export interface UnwindDeps {
  readonly chain: ChainStore
  readonly journal: Journal
  readonly writer: BlockWriter
  readonly chainWriter: ChainWriter
  readonly announcer: Announcer
  readonly assembler: BlockAssembler
  readonly nextBlock: NextBlock
  /** Stopped. */
  readonly driver: BlockDriver
  readonly head: () => Head
  /** Depth of the finalized block. */
  readonly finality: Finality
  /** Transactions that are acknowledged, or will be, and are in no flashblock yet. */
  readonly waiting: () => readonly PoolTransaction[]
  readonly onUnwound: (blocks: readonly UnwoundBlock[]) => void
  /** Yields to the event loop. */
  readonly yieldTurn: () => Promise<void>
}

/** Whether the chain may be unwound to a block: never below the fork block, the finalized one or the oldest state. */
function setHeadRefusal(number: number, { sealed, base }: Pick<Head, 'sealed' | 'base'>): SetHeadRefusal | undefined {
  const { latest, finalized } = sealed
  const { oldestState, below } = base
  if (number > latest) return { code: 'ABOVE_LATEST', number, latest }
  if (below !== undefined && number < below.number) return { code: 'BELOW_FORK', number, fork: below.number }
  if (number < finalized) return { code: 'BELOW_FINALIZED', number, finalized }
  if (number < oldestState) return { code: 'STATE_PRUNED', number, oldest: oldestState }
  return undefined
}

/**
 * Unwinds the chain to a sealed block (`debug_setHead`). Settings for one block only are dropped.
 *
 * @throws errors of the disk; the node must then stop
 */
export async function setHead(number: number, deps: UnwindDeps): Promise<SetHeadResult> {
  const { head, nextBlock, writer } = deps
  const early = setHeadRefusal(number, head())
  if (early !== undefined) return { kind: 'refused', refusal: early }
  await writer.pause()
  // Meanwhile a block may have been stored, others finalized, and old state pruned.
  try {
    const refusal = setHeadRefusal(number, head())
    if (refusal !== undefined) return { kind: 'refused', refusal }
    await unwind({ number, settings: { ...nextBlock.settings, once: undefined } }, deps)
    return { kind: 'unwound' }
  } finally {
    writer.resume()
  }
}

/** The chain after an unwind. */
export interface UnwindTarget {
  /** The newest sealed block. */
  readonly number: number
  /** Applies to coming blocks from then on. */
  readonly settings: NextBlockSettings
  /** State changes from outside that follow it. Default: none. */
  readonly alterations?: StateDiff | undefined
  /**
   * The pool, read in the step that records it: transactions arrive until then. Default: as before; transactions of
   * unwound blocks do not return.
   */
  readonly waiting?: (() => readonly PoolTransaction[]) | undefined
  /** Whether block timestamps of unwound blocks can be used again. Default: false. */
  readonly reusesTimestamps?: boolean | undefined
  /** Block 0 in place of the present one, if the target is block 0. Default: the present one. */
  readonly genesis?: Block | undefined
}

/**
 * Unwinds the chain: first in the records, so that the next start completes an interrupted unwind, then in the store if
 * it has unwound blocks, then in the head together with the first flashblock of the next block.
 *
 * @param deps with a paused writer
 * @throws errors of the disk; the node must then stop
 */
export async function unwind(unwinding: UnwindTarget, deps: UnwindDeps): Promise<void> {
  const { number, settings, waiting = deps.waiting, reusesTimestamps = false, genesis } = unwinding
  const { journal, writer, chainWriter, finality, announcer, assembler, nextBlock } = deps
  // The alterations that are removed may be the marker of a base fee that stays chosen for the next block.
  const isBaseFeeChosen = settingsOnce(settings, number + 1).baseFeePerGas !== undefined
  const { alterations = isBaseFeeChosen ? emptyDiff() : undefined } = unwinding
  const removed = await inTurns(removedBlockSteps(deps.head(), number), deps.yieldTurn)
  const head = deps.head()
  const target = head.recent.find(({ block }) => block.header.number === number)
  const hash = genesis?.hash ?? target?.block.hash ?? head.base.blockHash(number)!
  nextBlock.settings = settings
  assembler.end()
  // Recovery takes the pool from this record.
  journal.append({ kind: 'pool', transactions: waiting() })
  await announcer.unwind({ number, hash, ...(alterations && { alterations }) })
  writer.discardAbove(number)
  if (head.base.number > number || genesis !== undefined) {
    const { base, baseTrie } = await chainWriter.unwind(number, { finality, genesis })
    announcer.rebase(base, baseTrie)
  }
  deps.onUnwound(removed)
  await openAnew(deps, reusesTimestamps ? undefined : removed.at(-1)!.block.header.timestamp)
}

/**
 * Opens the next block after a change of the chain.
 *
 * @param replaced timestamps up to this one were used by blocks of its height. Default: those that the driver names
 */
async function openAnew(
  { announcer, assembler, driver }: Pick<UnwindDeps, 'announcer' | 'assembler' | 'driver'>,
  replaced?: bigint,
): Promise<void> {
  const instant = driver.openingTime
  const opening = driver.opening(instant)
  await assembler.start(announcer.parent(), { ...opening, replaced: replaced ?? opening.replaced })
  driver.opened(instant)
}

/**
 * Unwinds the chain, also below the finalized block.
 *
 * @returns why nothing was unwound
 */
export async function unwindBelowFinalized(target: UnwindTarget, deps: UnwindDeps): Promise<StatePruned | undefined> {
  const { number } = target
  // A block that is being stored may prune the state.
  await deps.writer.pause()
  try {
    const { oldestState: oldest } = deps.head().base
    if (number < oldest) return { code: 'STATE_PRUNED', number, oldest }
    await unwind(target, deps)
    return undefined
  } finally {
    deps.writer.resume()
  }
}

/** The beginning of a chain on another fork block. */
export interface ReforkTarget {
  /** The fork block. */
  readonly block: Block
  /** The chain up to it. */
  readonly below: ChainBelow
  /** State changes from outside that follow it. */
  readonly alterations: StateDiff
  /** Applies to coming blocks from then on. */
  readonly settings: NextBlockSettings
}

/**
 * Discards the chain above the fork block, and begins on another one with an empty pool. The store must be a temporary
 * one: the records of a directory would contradict its block.
 *
 * @throws errors of the disk; the node must then stop
 */
export async function refork(target: ReforkTarget, deps: UnwindDeps): Promise<void> {
  const { block, below, alterations, settings } = target
  const { chain, journal, writer, chainWriter, announcer, assembler, nextBlock, head, onUnwound } = deps
  await writer.pause()
  const before = head()
  const forkHeight = before.base.below!.number
  const removed = removedBlocks(before, forkHeight)
  nextBlock.settings = settings
  assembler.end()
  const { number } = block.header
  journal.append({ kind: 'pool', transactions: [] })
  await announcer.unwind({ number, hash: block.hash, alterations })
  writer.discardAbove(forkHeight)
  await chain.beginOn(block, below)
  const base = chain.snapshot()
  const baseTrie = storedTrie(base)
  chainWriter.reset(baseTrie)
  announcer.rebase(base, baseTrie)
  onUnwound(removed)
  await openAnew(deps)
  writer.resume()
}

async function inTurns<Result>(steps: Generator<void, Result>, yieldTurn: () => Promise<void>): Promise<Result> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await yieldTurn()
  }
}
