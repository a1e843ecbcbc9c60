import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { StartOptions } from '../../flags/start-flags.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import { openNode } from '../../node/roles/open-node.ts'
import { leaderSettingsOf, nodeSettingsOf } from '../node-settings.ts'
import type { NetworkIdentity, NetworkParts } from '../open-network.ts'
import { webSocketSourceOf } from './replica-server.ts'
import { type NetworkServer, serveNode } from './serve-node.ts'

/** Renewals per lifetime of the lease: it survives two failed ones. */
const RENEWALS = 3
const POLLS = 5
const GRACE_SHARE = 0.5
/** Milliseconds that a transaction may wait for a leader. */
const SUBMIT_TIMEOUT_MS = 15_000

/**
 * Serves a network as one of several failover nodes.
 *
 * @throws ExposureError; errors of opening the node
 */
export async function serveFailoverNode(
  options: StartOptions & { readonly nats: string },
  network: NetworkIdentity,
  parts: NetworkParts,
): Promise<NetworkServer> {
  const { leaseTtlMs, snapshotFrom, fromToken: token, maxResponseBytes } = options
  const nats = await import('./nats-services.ts')
  const id = randomBytes(4).toString('hex')
  const name = options.nodeName ?? `${hostname()}-${id}`
  const maxRecordBytes = nats.MAX_GROUP_BYTES
  const limits = { token, maxRecordBytes, maxResponseBytes }
  const snapshots = snapshotFrom === undefined ? undefined : webSocketSourceOf(snapshotFrom, limits)
  const source = nats.natsStandbySourceOf(options, snapshots, parts.log)
  const replicatedLog = await nats.natsLogOf(options, parts.log)
  return serveNode(
    options,
    network,
    parts,
    (opening) => {
      const { genesis, environment } = opening
      const chain = { chainId: genesis.config.chainId, genesisHash: buildGenesis(genesis).block.hash }
      const identity = { chain, id, name, clock: environment.clock }
      return openNode(
        nodeSettingsOf(options, opening),
        {
          kind: 'failover',
          leading: leaderSettingsOf(options, genesis.config, parts.log),
          name,
          leaseTiming: {
            pollIntervalMs: leaseTtlMs / POLLS,
            renewIntervalMs: leaseTtlMs / RENEWALS,
            graceMs: GRACE_SHARE * leaseTtlMs,
          },
          submitTimeoutMs: SUBMIT_TIMEOUT_MS,
          replicatedLog,
          source,
          lease: nats.natsLeaseOf(options, identity, parts.log),
          peers: nats.natsPeersOf(options, identity, parts.log),
        },
        environment,
      )
    },
    { source: source.name },
  )
}
