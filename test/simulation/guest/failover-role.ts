import type { Logger } from 'pino'
import { systemClock } from '../../../src/node/core/clock.ts'
import { buildGenesis } from '../../../src/node/core/genesis-chain.ts'
import type { NodeSettings } from '../../../src/node/roles/node-settings.ts'
import type { FailoverRole } from '../../../src/node/roles/role.ts'
import { NatsLease } from '../../../src/replication/nats/nats-lease.ts'
import { NatsLog } from '../../../src/replication/nats/nats-log.ts'
import { NatsSource } from '../../../src/replication/nats/nats-source.ts'
import { type SimulatedRole, simulation } from './simulation.ts'

// The values of `--failover`, which `service/roles` sets.
const TIMING = { connectTimeoutMs: 1_000, requestTimeoutMs: 1_000, pingIntervalMs: 500 }
const PUBLISHING = { ackTimeoutMs: 500, resendTimeoutMs: 50, lookTimeoutMs: 250, retryDelayMs: 50, tellsLoss: true }
const POLLS_PER_LEASE = 5
const RENEWALS_PER_LEASE = 3
const MAX_RECORD_BYTES = 2 ** 26
const ID_BYTES = 4

/** A node that leads while it holds the lease in the simulated servers. */
export function failoverRole(
  leading: FailoverRole['leading'],
  { leaseTtlMs, natsReplicas: replicas }: Extract<SimulatedRole, { kind: 'failover' }>,
  genesis: NodeSettings['genesis'],
  log: Logger,
): FailoverRole {
  const urls = 'nats://nats:4222'
  const { name } = simulation()
  const id = Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString('hex')
  const chain = { chainId: genesis.config.chainId, genesisHash: buildGenesis(genesis).block.hash }
  const limits = { maxBytes: 2 ** 30, maxAgeMs: 0, replicas }
  const checks = { allowsOldServers: false, monitors: ['http://nats:8222'], neighbours: undefined }
  const replicatedLog = new NatsLog(
    { urls, limits, maxRecordBytes: MAX_RECORD_BYTES, ...TIMING, ...PUBLISHING, ...checks },
    { clock: systemClock, log },
  )
  const source = new NatsSource(
    { urls, maxRecordBytes: MAX_RECORD_BYTES, leaderTimeoutMs: 30_000, newestIntervalMs: 500, ...TIMING },
    { log, snapshots: undefined },
  )
  const lease = new NatsLease({
    urls,
    chain,
    replicas,
    leaseTtlMs,
    holdTimeoutMs: Math.max(250, leaseTtlMs / 3),
    checkIntervalMs: 2_000,
    maxClockOffsetMs: 5_000,
    wall: () => systemClock.wall(),
    id,
    name,
    ...TIMING,
  })
  const leaseTiming = {
    pollIntervalMs: leaseTtlMs / POLLS_PER_LEASE,
    renewIntervalMs: leaseTtlMs / RENEWALS_PER_LEASE,
    graceMs: 0.5 * leaseTtlMs,
  }
  return { kind: 'failover', leading, name, leaseTiming, submitTimeoutMs: 15_000, replicatedLog, source, lease }
}
