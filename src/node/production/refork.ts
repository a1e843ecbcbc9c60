import type { Block } from '../../chain/block/block.ts'
import type { ChainBelow } from '../../state/chain-below.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { NextBlockSettings } from '../development/next-block.ts'
import { storedTrie } from '../forking/fork-base.ts'
import { removedBlocks } from '../machine/unwinding.ts'
import { openAnew, type UnwindDeps } from './set-head.ts'

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
  writer.discardAbove(forkHeight)
  const { number } = block.header
  journal.append({ kind: 'pool', transactions: [] })
  announcer.unwind({ number, hash: block.hash, alterations })
  await journal.sync()
  await chain.beginOn(block, below)
  const base = chain.snapshot()
  const baseTrie = storedTrie(base)
  chainWriter.reset(baseTrie)
  announcer.rebase(base, baseTrie)
  onUnwound(removed)
  await openAnew(deps)
  writer.resume()
}
