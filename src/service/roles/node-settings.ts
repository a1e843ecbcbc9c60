import { gasLimitOf } from '../../flags/genesis/chain-parameters.ts'
import { l1SettingsOf } from '../../flags/layer1-flags.ts'
import type { ServeOptions, StartOptions } from '../../flags/start-flags.ts'
import type { Gathering } from '../../node/core/block-writer.ts'
import type { LeaderSettings, NodeSettings } from '../../node/core/node-settings.ts'
import { createSchedule, DENIM_BLOCKS } from '../../node/roles/leader/schedule.ts'
import { poolOptionsOf } from '../limit-settings.ts'
import type { Opening } from '../open-network.ts'

/** Blocks whose records are kept: two minutes at the default block time, and all partial hashes that still resolve. */
const REPLAY_BLOCKS = 64

/** Two minutes at the default block time; Denim has ten times as many blocks in that time. */
const FINALITY_DEPTH = 64

/** Sealed blocks that may wait for the store before the sequencer waits. */
const MAX_BLOCKS_BEHIND = 8
/**
 * Blocks on demand are small, and several hundred come per second. Those of a snapshot are held back, half as many:
 * enough for the transactions of a test.
 */
const MAX_BLOCKS_BEHIND_ON_DEMAND = 64
/**
 * A commit costs as much as executing a block with one transaction (measured: 1 ms of processor time), and little more
 * for sixteen blocks.
 */
const GATHERING: Gathering = { blocks: 16, waitMs: 25 }

export function maxBlocksBehindOf({ mining }: Pick<ServeOptions, 'mining'>): number {
  return mining?.kind === 'on-demand' ? MAX_BLOCKS_BEHIND_ON_DEMAND : MAX_BLOCKS_BEHIND
}

export function nodeSettingsOf(
  options: Pick<ServeOptions, 'history' | 'replayWindow' | 'scrub' | 'mining'>,
  { genesis, directory }: Pick<Opening, 'genesis' | 'directory'>,
): NodeSettings {
  const { history, replayWindow, scrub, mining } = options
  return {
    genesis,
    directory,
    history,
    replayBlocks: REPLAY_BLOCKS,
    replayBytes: replayWindow,
    scrubBytesPerSecond: scrub,
    maxBlocksBehind: maxBlocksBehindOf(options),
    gathering: mining?.kind === 'on-demand' ? GATHERING : undefined,
  }
}

/** Settings of a node that leads or can lead. */
export function leaderSettingsOf(options: StartOptions): LeaderSettings {
  const isDenim = options.profile === 'denim'
  return {
    schedule: isDenim ? DENIM_BLOCKS : createSchedule(options.blockTime, options.flashblockInterval),
    gasLimit: gasLimitOf(options),
    sequencing: !options.standStill,
    timeBudget: options.timeBudget,
    finalityDepth: options.finalityDepth ?? (isDenim ? 10 * FINALITY_DEPTH : FINALITY_DEPTH),
    pool: poolOptionsOf(options),
    mining: options.mining,
    l1: l1SettingsOf(options),
  }
}
