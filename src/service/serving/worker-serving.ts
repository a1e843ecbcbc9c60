import { fileURLToPath } from 'node:url'
import type { ServeOptions } from '../../flags/start-flags.ts'
import { systemClock } from '../../node/core/clock.ts'
import type { RecordStream } from '../../replication/record-stream.ts'
import { AdoptedSockets } from '../../server/cluster/adopted-sockets.ts'
import { RpcWorkers } from '../../server/cluster/rpc-workers.ts'
import { readProcessMetrics } from '../../server/metrics/process-metrics.ts'
import type { ReplicaListener } from '../../server/replicas/replica-listener.ts'
import { serverLimitsOf } from '../limit-settings.ts'
import type { NetworkIdentity, OpenedNode, WorkerProcesses } from '../open-network.ts'
import { VERSION } from '../version.ts'
import type { RunningService } from './node-serving.ts'

/** Milliseconds for workers to stop, within the five seconds of the node. */
const STOP_LIMIT_MS = 4_000

/** Start parameters of a worker. */
export interface WorkerSettings {
  readonly options: ServeOptions
  readonly network: NetworkIdentity
}

/**
 * Serves a node through RPC workers that share its port.
 *
 * @throws the error of `listen`, such as EADDRINUSE; WorkerError when a worker cannot start
 */
export async function startWorkers(
  options: ServeOptions,
  opened: OpenedNode,
  {
    stream,
    replicas,
    processes,
  }: {
    readonly stream: RecordStream
    readonly replicas: ReplicaListener | undefined
    readonly processes: WorkerProcesses
  },
): Promise<Omit<RunningService, 'take'>> {
  const { network, metrics, node, condition, parts } = opened
  const shown = await parts.startOutput?.(options, { node, isDevelopment: opened.exposure.development, log: parts.log })
  const workers = new RpcWorkers(
    {
      count: options.rpcWorkers,
      program: fileURLToPath(processes.program),
      settings: (port): WorkerSettings => ({ options, network: { ...network, port } }),
      host: options.host,
      port: network.port,
      stopLimitMs: STOP_LIMIT_MS,
    },
    {
      node,
      stream,
      clock: systemClock,
      condition,
      metrics,
      adopted: replicas && new AdoptedSockets(serverLimitsOf(options), { endpoint: replicas }),
      log: parts.log,
    },
  )
  const port = await workers.start().catch(async (error: unknown) => {
    await workers.stop()
    throw error
  })
  metrics.read('tickertape_rpc_workers', () => workers.size)
  metrics.read('tickertape_rpc_worker_restarts_total', () => workers.restarts)
  metrics.read('tickertape_rpc_worker_lag_records', () => workers.lag)
  const stopReading = readProcessMetrics({ version: VERSION }, metrics)
  // Without a registry SIGHUP keeps its default action.
  const stopReloading = parts.registry && processes.onReload(() => workers.signal('SIGHUP'))
  return {
    port,
    metrics: workers.metrics,
    async close() {
      stopReloading?.()
      await workers.stop()
      await shown?.close()
      stopReading()
    },
  }
}
