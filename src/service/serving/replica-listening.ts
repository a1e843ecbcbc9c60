import type { ServeOptions } from '../../flags/start-flags.ts'
import type { Metrics } from '../../server/metrics/metrics.ts'
import { ReplicaListener, type ReplicaListenerDeps } from '../../server/replicas/replica-listener.ts'
import { isPublic } from '../exposure.ts'

/** Concurrent snapshot transfers. */
const MAX_SNAPSHOTS = 2
/** Milliseconds between messages with the newest record. */
const NEWEST_INTERVAL_MS = 1_000

/** Replicas receive every record and a copy of the state: beyond loopback they must present a token. */
export function servesReplicas(options: ServeOptions): boolean {
  return options.maxReplicas > 0 && (options.replicaToken !== undefined || !isPublic(options))
}

/** The endpoint for replicas, if the flags allow any. */
export function replicaListener(
  options: ServeOptions,
  parts: ReplicaListenerDeps & { readonly metrics: Metrics },
): ReplicaListener | undefined {
  if (!servesReplicas(options)) return undefined
  const listener = new ReplicaListener(
    { ...options, token: options.replicaToken, maxSnapshots: MAX_SNAPSHOTS, newestIntervalMs: NEWEST_INTERVAL_MS },
    parts,
  )
  parts.metrics.read('tickertape_replicas', () => listener.size)
  parts.metrics.read('tickertape_served_replica_lag_records', () => listener.lags)
  return listener
}
