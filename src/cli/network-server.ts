import { type NodeSettings, openNode } from '../node/open-node.ts'
import { createSchedule } from '../node/schedule.ts'
import type { StartOptions } from './flags/start-flags.ts'
import { poolOptionsOf } from './limit-settings.ts'
import {
  MAX_BLOCKS_BEHIND,
  type NetworkIdentity,
  type NetworkParts,
  type NetworkServer,
  type Opening,
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
  const { nats } = options
  // Loaded where it is wanted.
  if (nats !== undefined && options.failover) {
    const { serveCandidate } = await import('./candidate-server.ts')
    return serveCandidate({ ...options, nats }, network, parts)
  }
  const sharedLog = nats && (await import('./nats-services.ts')).natsLogOf({ ...options, nats }, parts.log)
  return serveNode(options, network, parts, ({ genesis, directory, environment }) =>
    openNode(nodeSettingsOf(options, { genesis, directory }), { ...environment, ...(sharedLog && { sharedLog }) }),
  )
}

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
