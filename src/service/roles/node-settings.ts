import { gasLimitOf } from '../../flags/genesis/chain-parameters.ts'
import type { ServeOptions, StartOptions } from '../../flags/start-flags.ts'
import type { LeaderSettings, NodeSettings } from '../../node/core/node-settings.ts'
import { createSchedule } from '../../node/roles/leader/schedule.ts'
import { poolOptionsOf } from '../limit-settings.ts'
import { MAX_BLOCKS_BEHIND, type Opening } from '../open-network.ts'

/** Blocks whose records are kept: two minutes at the default block time, and all partial hashes that still resolve. */
const REPLAY_BLOCKS = 64

export function nodeSettingsOf(
  { history, replayWindow, scrub }: Pick<ServeOptions, 'history' | 'replayWindow' | 'scrub'>,
  { genesis, directory }: Pick<Opening, 'genesis' | 'directory'>,
): NodeSettings {
  return {
    genesis,
    directory,
    history,
    replayBlocks: REPLAY_BLOCKS,
    replayBytes: replayWindow,
    scrubBytesPerSecond: scrub,
    maxBlocksBehind: MAX_BLOCKS_BEHIND,
  }
}

/** Settings of a node that leads or can lead. */
export function leaderSettingsOf(options: StartOptions): LeaderSettings {
  return {
    schedule: createSchedule(options.blockTime, options.flashblockInterval),
    gasLimit: gasLimitOf(options),
    sequencing: !options.standStill,
    timeBudget: options.timeBudget,
    finalityDepth: options.finalityDepth,
    pool: poolOptionsOf(options),
    mining: options.mining,
  }
}
