import type { Logger } from 'pino'
import { genesisOf } from '../../flags/genesis/genesis-flags.ts'
import type { ReplicaOptions, StartOptions } from '../../flags/start-flags.ts'
import { type Clock, systemClock } from '../../node/core/clock.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import type { RecordSource, StreamIdentity } from '../../node/log/record-source.ts'
import type { PeerIdentity } from '../../node/roles/failover/peers.ts'
import type { Hash } from '../../primitives/hex.ts'
import { NatsLease } from '../../replication/nats/nats-lease.ts'
import { NatsLog } from '../../replication/nats/nats-log.ts'
import { NatsPeers } from '../../replication/nats/nats-peers.ts'
import { NatsSource } from '../../replication/nats/nats-source.ts'
import { VERSION } from '../version.ts'
import { clockWarning } from './clock-warning.ts'

/** Milliseconds. A connection is closed after two unanswered pings. */
const TIMING = { connectTimeoutMs: 5_000, requestTimeoutMs: 2_000, pingIntervalMs: 500 }
/** Shorter limits for failover nodes, since standbys wait for them. */
const FAILOVER_TIMING = { connectTimeoutMs: 1_000, requestTimeoutMs: 1_000, pingIntervalMs: 500 }
/** Limit of one group of records. */
export const MAX_GROUP_BYTES = 256 * 2 ** 20
/**
 * Milliseconds after which a publish without acknowledgement is checked at the end of the stream, and between checks.
 */
const ACK_TIMEOUT_MS = 500
/** As above for records that are sent again; on the same site NATS responds within this time. */
const RESEND_TIMEOUT_MS = 50
const LOOK_TIMEOUT_MS = 250
const RETRY_DELAY_MS = 50
/** Minimum timeout of requests about the lease, in milliseconds. */
const MIN_HOLD_TIMEOUT_MS = 250
/** Milliseconds between comparisons of the clock, and checks of which servers lead the streams of lease and records. */
const LEASE_CHECK_INTERVAL_MS = 2_000
/** Timeout of a transaction or request that is sent to the leader, in milliseconds. */
const LEADER_TIMEOUT_MS = 30_000
/** Milliseconds between checks of the end of the stream. */
const NEWEST_INTERVAL_MS = 500

/** The replicated log of a node. */
export async function natsLogOf(options: StartOptions & { readonly nats: string }, log: Logger): Promise<NatsLog> {
  const { nats: urls, natsMaxBytes: maxBytes, natsMaxAgeSeconds, natsReplicas: replicas } = options
  const limits = { maxBytes, maxAgeMs: natsMaxAgeSeconds * 1_000, replicas }
  const timing = {
    ...(options.failover ? FAILOVER_TIMING : TIMING),
    ackTimeoutMs: ACK_TIMEOUT_MS,
    resendTimeoutMs: RESEND_TIMEOUT_MS,
    lookTimeoutMs: LOOK_TIMEOUT_MS,
    retryDelayMs: RETRY_DELAY_MS,
    tellsLoss: options.failover,
  }
  const checks = {
    allowsOldServers: options.allowOldNats,
    monitors: options.natsMonitor,
    neighbours: options.failover && !options.newChain ? await ownChains(options) : undefined,
  }
  return new NatsLog(
    { urls, limits, maxRecordBytes: MAX_GROUP_BYTES, ...timing, ...checks },
    { clock: systemClock, log },
  )
}

/** Genesis hashes of the networks of this process. */
async function ownChains(options: StartOptions): Promise<readonly Hash[]> {
  const networks = options.testnet ? (['main', 'test'] as const) : []
  return Promise.all(networks.map(async (name) => buildGenesis(await genesisOf(name, options)).block.hash))
}

/** @param snapshots source to use when the stream does not reach back far enough */
export function natsSourceOf(
  { from: urls, maxRecordBytes }: ReplicaOptions,
  snapshots: RecordSource | undefined,
  log: Logger,
): NatsSource {
  const timing = { ...TIMING, leaderTimeoutMs: LEADER_TIMEOUT_MS, newestIntervalMs: NEWEST_INTERVAL_MS }
  return new NatsSource({ urls, maxRecordBytes, ...timing }, { log, snapshots })
}

/** Source of the records of the leader, for a failover node. */
export function natsStandbySourceOf(
  { nats: urls }: { readonly nats: string },
  snapshots: RecordSource | undefined,
  log: Logger,
): NatsSource {
  const timing = { ...FAILOVER_TIMING, leaderTimeoutMs: LEADER_TIMEOUT_MS, newestIntervalMs: NEWEST_INTERVAL_MS }
  return new NatsSource({ urls, maxRecordBytes: MAX_GROUP_BYTES, ...timing }, { log, snapshots })
}

export interface FailoverIdentity extends PeerIdentity {
  readonly chain: StreamIdentity
  /** The clock that blocks follow. */
  readonly clock: Pick<Clock, 'wall' | 'noteOffset'>
}

/** Requests between the failover nodes. */
export function natsPeersOf(
  { nats: urls }: { readonly nats: string },
  { clock, ...identity }: FailoverIdentity,
  log: Logger,
): NatsPeers {
  return new NatsPeers({ urls, ...FAILOVER_TIMING, ...identity, version: VERSION, wall: () => clock.wall() }, { log })
}

/** The lease that decides which failover node tries to lead. */
export function natsLeaseOf(
  { nats: urls, natsReplicas: replicas, leaseTtlMs, maxClockJumpMs }: StartOptions & { readonly nats: string },
  node: FailoverIdentity,
  log: Logger,
): NatsLease {
  const { clock, ...identity } = node
  // A longer call would overlap the next one.
  const holdTimeout = Math.max(MIN_HOLD_TIMEOUT_MS, leaseTtlMs / 3)
  const warn = clockWarning(maxClockJumpMs, log)
  return new NatsLease({
    urls,
    replicas,
    leaseTtlMs,
    holdTimeoutMs: holdTimeout,
    checkIntervalMs: LEASE_CHECK_INTERVAL_MS,
    maxClockOffsetMs: maxClockJumpMs,
    wall: () => clock.wall(),
    systemWall: () => systemClock.wall(),
    onClockOffset: (offsetMs) => {
      clock.noteOffset?.(offsetMs + clock.wall() - systemClock.wall())
      warn(offsetMs)
    },
    ...FAILOVER_TIMING,
    ...identity,
  })
}
