import { openNode } from '../node/core/open-node.ts'
import type { StartOptions } from './flags/start-flags.ts'
import { nodeSettingsOf } from './node-settings.ts'
import type { NetworkIdentity, NetworkParts } from './open-network.ts'
import { type NetworkServer, serveNode } from './serve-node.ts'

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
  const replicatedLog = nats && (await import('./nats-services.ts')).natsLogOf({ ...options, nats }, parts.log)
  return serveNode(options, network, parts, ({ genesis, directory, environment }) =>
    openNode(nodeSettingsOf(options, { genesis, directory }), {
      ...environment,
      ...(replicatedLog && { replicatedLog }),
    }),
  )
}
