import { openNode } from '../node/open-node.ts'
import { createSchedule } from '../node/schedule.ts'
import type { StartOptions } from './flags/start-flags.ts'
import { poolOptionsOf } from './limit-settings.ts'
import {
  MAX_BLOCKS_BEHIND,
  type NetworkIdentity,
  type NetworkParts,
  type NetworkServer,
  serveNode,
} from './serve-node.ts'

/** Records of so many blocks stay: two minutes at the default block time, and all partial hashes that are still found. */
export const REPLAY_BLOCKS = 64

/**
 * A network whose blocks are made here.
 *
 * @throws ExposureError, and what opening the node throws
 */
export async function serveNetwork(
  options: StartOptions,
  network: NetworkIdentity,
  parts: NetworkParts,
): Promise<NetworkServer> {
  const schedule = createSchedule(options.blockTime, options.flashblockInterval)
  // Loaded where it is wanted.
  const sharedLog =
    options.nats && (await import('./nats-services.ts')).natsLogOf({ ...options, nats: options.nats }, parts.log)
  return serveNode(options, network, parts, ({ genesis, directory, environment }) =>
    openNode(
      {
        genesis,
        directory,
        schedule,
        gasLimit: options.gasLimit,
        sequencing: !options.standStill,
        timeBudget: options.timeBudget,
        finalityDepth: options.finalityDepth,
        history: options.history,
        replayBlocks: REPLAY_BLOCKS,
        replayBytes: options.replayWindow,
        maxBlocksBehind: MAX_BLOCKS_BEHIND,
        pool: poolOptionsOf(options),
      },
      { ...environment, ...(sharedLog && { sharedLog }) },
    ),
  )
}
