import { once } from 'node:events'
import { createServer as createProbe } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { OperatedNode } from '../node/operated-node.ts'
import type { RecordStream } from '../node/replica/record-stream.ts'
import { AdoptedSockets } from '../server/cluster/adopted-sockets.ts'
import { RpcWorkers, WorkerError } from '../server/cluster/rpc-workers.ts'
import { readProcessMetrics } from '../server/metrics/process-metrics.ts'
import type { ReplicaListener } from '../server/replicas/replica-listener.ts'
import type { ServeOptions } from './flags/start-flags.ts'
import type { RunningService } from './node-serving.ts'
import type { NetworkIdentity, OpenedNode } from './open-network.ts'

/** Milliseconds that workers have to end, of the five seconds that the node has. */
const STOP_LIMIT = 4_000
/** Times that a free port is looked for: it is free only until somebody else takes it. */
const PORT_ATTEMPTS = 5

/** What a worker is told, besides the chain. */
export interface WorkerSettings {
  readonly options: ServeOptions
  readonly network: NetworkIdentity
}

/**
 * Serves a node by processes beside this one, which share its port.
 *
 * @throws WorkerError with the code of what a worker could not do, as EADDRINUSE
 */
export async function startWorkers(
  options: ServeOptions,
  opened: OpenedNode<OperatedNode>,
  { stream, replicas }: { readonly stream: RecordStream; readonly replicas: ReplicaListener | undefined },
): Promise<RunningService> {
  const { network, metrics, node, condition, parts } = opened
  const start = async (port: number) => {
    const settings: WorkerSettings = { options, network: { ...network, port } }
    const workers = new RpcWorkers(
      {
        count: options.rpcWorkers,
        program: fileURLToPath(new URL('./rpc-worker.js', import.meta.url)),
        settings,
        stopLimit: STOP_LIMIT,
      },
      { node, stream, condition, metrics, adopted: replicas && new AdoptedSockets(replicas), log: parts.log },
    )
    try {
      return { workers, port: await workers.start() }
    } catch (error) {
      await workers.stop()
      throw error
    }
  }
  const { workers, port } = await (network.port === 0 ? onFreePort(options.host, start) : start(network.port))
  metrics.read('tickertape_rpc_workers', () => workers.size)
  metrics.read('tickertape_rpc_worker_restarts_total', () => workers.restarts)
  metrics.read('tickertape_rpc_worker_lag_records', () => workers.lag)
  const stopReading = readProcessMetrics(metrics)
  const reload = () => workers.signal('SIGHUP')
  // Where nobody reads a registry it ends a process, as usual.
  if (parts.registry !== undefined) process.on('SIGHUP', reload)
  return {
    port,
    async close() {
      process.off('SIGHUP', reload)
      await workers.stop()
      stopReading()
    },
  }
}

/** The port has a number before there is a worker, so that a worker that is started again has the same one. */
async function onFreePort<Started>(host: string, start: (port: number) => Promise<Started>): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort(host))
    } catch (error) {
      if (!(error instanceof WorkerError && error.code === 'EADDRINUSE') || attempt === PORT_ATTEMPTS) throw error
    }
  }
}

async function freePort(host: string): Promise<number> {
  const probe = createProbe().listen(0, host)
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (typeof address !== 'object' || address === null) throw new Error(`${host} is no address with ports`)
  return address.port
}
