import type { DevelopmentSettings } from '../development/development.ts'
import type { RecordSource } from '../log/record-source.ts'
import type { ReplicatedLogBackend } from '../log/replicated-log.ts'
import type { Lease } from './failover/lease.ts'
import type { LeaseKeeperOptions } from './failover/lease-keeper.ts'
import type { Peers } from './failover/peers.ts'
import type { LeaderSettings } from './node-settings.ts'

/** A node that always leads. */
export interface SoloRole {
  readonly kind: 'solo'
  readonly leading: LeaderSettings
  /** A log that must acknowledge each record before it is announced. Default: the disk alone. */
  readonly replicatedLog?: ReplicatedLogBackend | undefined
  /** Default: no operations of a development node. */
  readonly development?: DevelopmentSettings | undefined
}

/** A node that never leads: it follows a source. */
export interface ReplicaRole {
  readonly kind: 'replica'
  readonly source: RecordSource
}

/** One of several nodes. The holder of the lease leads, and the others follow it. */
export interface FailoverRole {
  readonly kind: 'failover'
  readonly leading: Omit<LeaderSettings, 'sequencing'>
  /** Name of the node in records and in the lease. */
  readonly name: string
  readonly leaseTiming: LeaseKeeperOptions
  /** Milliseconds that a transaction may wait for a leader. */
  readonly submitTimeoutMs: number
  readonly replicatedLog: ReplicatedLogBackend
  /** Source of the records of the replicated log, as for a replica. */
  readonly source: RecordSource
  readonly lease: Lease
  /** Requests between the nodes. Default: none, so that the lease is never handed over. */
  readonly peers?: Peers | undefined
}

export type Role = SoloRole | ReplicaRole | FailoverRole
