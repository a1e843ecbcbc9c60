import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { buildGenesis } from '../node/core/genesis-chain.ts'
import type { Candidate } from '../node/roles/failover/candidate.ts'
import { openCandidate } from '../node/roles/failover/open-candidate.ts'
import type { FailoverCondition } from '../server/readiness.ts'
import type { StartOptions } from './flags/start-flags.ts'
import { nodeSettingsOf } from './node-settings.ts'
import type { NetworkIdentity, NetworkParts } from './open-network.ts'
import { followingCondition, webSocketSourceOf } from './replica-server.ts'
import { type NetworkServer, serveNode } from './serve-node.ts'

/** Of a lease's duration: two renewals may fail before it ends, and a free one is found soon. */
const RENEWALS = 3
const POLLS = 5
const SETTLING = 0.5
/** Milliseconds that a transaction may wait for a node that makes blocks. */
const SUBMIT_LIMIT = 15_000

/**
 * A network whose blocks are made here or by another node, whoever has the lease.
 *
 * @throws ExposureError, and what opening the node throws
 */
export async function serveCandidate(
  options: StartOptions & { readonly nats: string },
  network: NetworkIdentity,
  parts: NetworkParts,
): Promise<NetworkServer> {
  const { leaseTtl, snapshotFrom, fromToken: token } = options
  const nats = await import('./nats-services.ts')
  const id = randomBytes(4).toString('hex')
  const name = options.nodeName ?? `${hostname()}-${id}`
  const maxMessageBytes = nats.MAX_GROUP_BYTES
  const snapshots = snapshotFrom === undefined ? undefined : webSocketSourceOf(snapshotFrom, { token, maxMessageBytes })
  const source = nats.natsStandbySourceOf(options, snapshots, parts.log)
  return serveNode(
    options,
    network,
    parts,
    ({ genesis, directory, environment }) => {
      const chain = { chainId: genesis.config.chainId, genesisHash: buildGenesis(genesis).block.hash }
      return openCandidate(
        {
          ...nodeSettingsOf(options, { genesis, directory }),
          name,
          lease: { pollInterval: leaseTtl / POLLS, renewInterval: leaseTtl / RENEWALS, settling: SETTLING * leaseTtl },
          submitLimit: SUBMIT_LIMIT,
        },
        {
          ...environment,
          replicatedLog: nats.natsLogOf(options, parts.log),
          source,
          lease: nats.natsLeaseOf(options, { chain, id, name }),
        },
      )
    },
    {
      following: (candidate: Candidate) =>
        candidate.failover.role === 'leader' ? undefined : followingCondition(candidate.following, source.name),
      failover: failoverCondition,
    },
  )
}

function failoverCondition({ failover }: Candidate): FailoverCondition {
  const { role, name, epoch, leaseHolder, takeOvers, standDowns } = failover
  const leader = role === 'leader' ? name : epoch?.leader
  return { role, name, leader, epoch: epoch?.sequence, leaseHolder, takeOvers, standDowns }
}
