import type { Logger } from 'pino'
import type { ChainConfig } from '../chain/forks/chain-config.ts'
import { chainProfile, hasL1Attributes } from '../chain/forks/chain-profile.ts'
import { denimActivation } from '../chain/forks/denim-schedule.ts'
import { FLASHBLOCKS_SCHEDULE, PROFILES } from '../chain/profiles/profiles.ts'
import { gasLimitOf } from '../flags/genesis/chain-parameters.ts'
import { l1SettingsOf } from '../flags/layer1-flags.ts'
import type { ServeOptions, StartOptions } from '../flags/start-flags.ts'
import {
  createSchedule,
  DENIM_BLOCKS,
  InvalidScheduleError,
  type Schedule,
} from '../node/production/building/schedule.ts'
import type { LeaderSettings, NodeSettings } from '../node/roles/node-settings.ts'
import type { Gathering } from '../node/store/block-writer.ts'
import { followedL1 } from './layer1/followed-l1.ts'
import { poolOptionsOf } from './limit-settings.ts'
import type { Opening } from './open-network.ts'

/** Blocks whose records are kept: two minutes at the default block time, and all partial hashes that still resolve. */
const REPLAY_BLOCKS = 64

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
  options: Pick<ServeOptions, 'history' | 'replayWindowBytes' | 'scrubBytesPerSecond' | 'mining'>,
  { genesis, directory }: Pick<Opening, 'genesis' | 'directory'>,
): NodeSettings {
  const { history, replayWindowBytes, scrubBytesPerSecond, mining } = options
  return {
    genesis,
    directory,
    history,
    replayBlocks: REPLAY_BLOCKS,
    replayWindowBytes,
    scrubBytesPerSecond,
    maxBlocksBehind: maxBlocksBehindOf(options),
    gathering: mining?.kind === 'on-demand' ? GATHERING : undefined,
  }
}

/**
 * Settings of a node that leads or can lead.
 *
 * @throws InvalidScheduleError
 */
export function leaderSettingsOf(options: StartOptions, config: ChainConfig, log: Logger): LeaderSettings {
  return {
    schedule: blockScheduleOf(options, config),
    gasLimit: gasLimitOf(options, config),
    sequencing: !options.standStill,
    timeBudget: options.timeBudget,
    finalityDepth: options.finalityDepth ?? PROFILES[chainProfile(config)].finalityDepth,
    pool: poolOptionsOf(options),
    mining: options.mining,
    l1: l1SettingsOf(options),
    l1Chain: hasL1Attributes(config) ? followedL1(options, log) : undefined,
  }
}

/** Schedule of the chain's blocks; where Denim comes later, of those before it. */
function blockScheduleOf({ blockTime, flashblockInterval }: StartOptions, config: ChainConfig): Schedule {
  const denim = config.layer2?.denim
  if (denim === undefined) return createSchedule(blockTime, flashblockInterval)
  const { blockTimeMs, flashblockIntervalMs } = FLASHBLOCKS_SCHEDULE
  const isDefault = blockTime === blockTimeMs && flashblockInterval === flashblockIntervalMs
  if (denim.isFree) return isDefault ? DENIM_BLOCKS : createSchedule(blockTime, blockTime)
  if (!isDefault) {
    throw new InvalidScheduleError(
      '--block-time and --flashblock-interval contradict the profile denim: its schedule determines the time of each ' +
        'block',
    )
  }
  return denimActivation(config) === undefined ? DENIM_BLOCKS : createSchedule(blockTimeMs, flashblockIntervalMs)
}
