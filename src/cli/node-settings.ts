import type { NodeSettings } from '../node/core/open-node.ts'
import { createSchedule } from '../node/roles/leader/schedule.ts'
import type { StartOptions } from './flags/start-flags.ts'
import { poolOptionsOf } from './limit-settings.ts'
import { MAX_BLOCKS_BEHIND, type Opening } from './open-network.ts'

/** Records of so many blocks stay: two minutes at the default block time, and all partial hashes that are still found. */
export const REPLAY_BLOCKS = 64

/** Of a node that makes blocks, or may. */
export function nodeSettingsOf(
  options: StartOptions,
  { genesis, directory }: Pick<Opening, 'genesis' | 'directory'>,
): NodeSettings {
  return {
    genesis,
    directory,
    schedule: createSchedule(options.blockTime, options.flashblockInterval),
    gasLimit: options.gasLimit,
    sequencing: !options.standStill,
    timeBudget: options.timeBudget,
    finalityDepth: options.finalityDepth,
    history: options.history,
    replayBlocks: REPLAY_BLOCKS,
    replayBytes: options.replayWindow,
    maxBlocksBehind: MAX_BLOCKS_BEHIND,
    pool: poolOptionsOf(options),
  }
}
