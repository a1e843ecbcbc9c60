import { hdAccounts } from '../../chain/accounts/hd-accounts.ts'
import { MAIN_NETWORK } from '../../flags/network-flags.ts'
import type { StartOptions } from '../../flags/start-flags.ts'
import type { LeaderSettings } from '../../node/roles/node-settings.ts'
import { openNode } from '../../node/roles/open-node.ts'
import { leaderSettingsOf, nodeSettingsOf } from '../node-settings.ts'
import type { NetworkIdentity, NetworkParts, Opening } from '../open-network.ts'
import type { StartSettings } from '../start-defaults.ts'
import { type NetworkNode, openNetworkNode } from './network-node.ts'
import { type NetworkServer, serveNode } from './serve-node.ts'

type SoloOptions = StartOptions & Partial<Pick<StartSettings, 'renewsGenesis'>>

/**
 * Serves a network on a node that leads, always or while it holds the lease.
 *
 * @throws ExposureError; errors of opening the node
 */
export async function serveNetwork(
  options: SoloOptions,
  network: NetworkIdentity,
  parts: NetworkParts,
): Promise<NetworkServer> {
  const { nats } = options
  // Loads the NATS client on demand.
  if (nats !== undefined && options.failover) {
    const { serveFailoverNode } = await import('./failover-server.ts')
    return serveFailoverNode({ ...options, nats }, network, parts)
  }
  const { open, stateFile } = await soloNode(options, network, parts)
  return serveNode(options, network, parts, open, { ...(stateFile && { stateFile }) })
}

/**
 * Opens a network on a node that always leads, without a port.
 *
 * @throws ExposureError; errors of opening the node
 */
export async function openNetworkAlone(
  options: SoloOptions,
  network: NetworkIdentity,
  parts: NetworkParts,
): Promise<NetworkNode> {
  const { open, stateFile } = await soloNode(options, network, parts)
  return openNetworkNode(options, network, parts, open, { stateFile, listens: false })
}

/** A fork continues the gas limit and the values of layer 1 of its block. */
function forkedSettings({ genesis, environment: { forkedL1 } }: Opening): Pick<LeaderSettings, 'gasLimit' | 'l1'> {
  return { gasLimit: genesis.header.gasLimit, l1: forkedL1 }
}

/** How a node that always leads is opened, and its state file. */
async function soloNode(options: SoloOptions, network: NetworkIdentity, parts: NetworkParts) {
  const { nats, mining, timestamp, renewsGenesis } = options
  const replicatedLog =
    nats === undefined
      ? undefined
      : await (await import('./nats-services.ts')).natsLogOf({ ...options, nats }, parts.log)
  const accounts = { keys: await hdAccounts(options), autoImpersonate: options.autoImpersonate }
  // A state file is that of one chain.
  const stateFile = network.name === MAIN_NETWORK.name ? options : undefined
  const open = (opening: Opening) =>
    openNode(
      nodeSettingsOf(options, opening),
      {
        kind: 'solo',
        leading: {
          ...leaderSettingsOf(options, opening.genesis.config, parts.log),
          ...(opening.environment.fork && forkedSettings(opening)),
        },
        replicatedLog,
        development: opening.development ? { mining, timestamp, accounts, renewsGenesis } : undefined,
      },
      opening.environment,
    )
  return { open, stateFile }
}
