import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { createEngine } from '../../engine/session/create-engine.ts'
import type { Pool } from '../../pool/pool.ts'
import type { BlockWriter } from '../store/block-writer.ts'
import type { CurrentView } from '../view/current-view.ts'
import { BlockAssembler, type BlockAssemblerDeps } from './building/block-assembler.ts'

type SharedDeps =
  | 'announcer'
  | 'nextBlock'
  | 'clock'
  | 'log'
  | 'yieldTurn'
  | 'tries'
  | 'meter'
  | 'loads'
  | 'isScheduled'

export interface AssemblerParts extends Pick<BlockAssemblerDeps, SharedDeps> {
  readonly pool: Pool
  readonly current: Pick<CurrentView, 'dropTransaction'>
  readonly writer: Pick<BlockWriter, 'room'>
}

/** The assembler of a sequencer, on the pool and the writer of its node. */
export function createAssembler(config: ChainConfig, deps: AssemblerParts): BlockAssembler {
  const { announcer, nextBlock, pool, current, writer, clock, log, yieldTurn, tries, meter, loads, isScheduled } = deps
  return new BlockAssembler({
    engine: createEngine({ config }),
    clock,
    log,
    candidates: (baseFee) => pool.candidates(baseFee),
    isWaiting: (hash) => pool.has(hash),
    markExecuted: (executed) => pool.markExecuted(executed),
    drop: (dropped, reason) => current.dropTransaction(dropped, reason),
    announcer,
    nextBlock,
    room: () => writer.room(),
    yieldTurn,
    tries,
    meter,
    loads,
    isScheduled,
  })
}
