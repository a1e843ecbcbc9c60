import type { ServeOptions } from '../../flags/start-flags.ts'
import { STREAM_PATH } from '../../replication/messages.ts'
import { RecordStream } from '../../replication/record-stream.ts'
import { createRpc, type Rpc } from '../../rpc/create-rpc.ts'
import type { OpenedNode } from '../open-network.ts'
import { rpcDepsOf, rpcOptionsOf } from '../rpc-parts.ts'
import { ContractNames } from './contract-names.ts'
import { serveNodeOperations } from './node-operations.ts'
import { type RunningService, serverMonitor, startService } from './node-serving.ts'
import { replicaListener } from './replica-listening.ts'
import { openSources, type SourceService } from './source-service.ts'

/** How a node begins to listen. */
export interface ListeningOptions {
  /** Whether typical requests are run once it listens, so that clients find compiled code. Default: true. */
  readonly warms?: boolean
}

export interface ListeningService extends Pick<RunningService, 'port' | 'close'> {
  /** The metrics, where they have a port of their own. */
  readonly metricsUrl: string | undefined
}

/**
 * Serves a node to clients and replicas, in this process or through RPC workers.
 *
 * @throws the error of `listen`, such as EADDRINUSE; WorkerError when a worker cannot start
 */
export async function startListening(
  options: ServeOptions,
  opened: OpenedNode,
  how: ListeningOptions = {},
): Promise<ListeningService> {
  const service = await startServing(options, opened, how)
  const operations = await serveNodeOperations(options, opened, service.metrics).catch(async (error: unknown) => {
    await service.close()
    throw error
  })
  return {
    port: service.port,
    metricsUrl: operations?.metricsUrl,
    async close() {
      await service.close()
      await operations?.close()
    },
  }
}

async function startServing(
  options: ServeOptions,
  opened: OpenedNode,
  { warms = true }: ListeningOptions,
): Promise<Omit<RunningService, 'take'>> {
  const { metrics, node, parts } = opened
  // A snapshot of a fork lacks the state of the forked node, and followers could not load it.
  const isForked = node.view().forkBlock !== undefined
  const stream = isForked || node.role === 'reader' ? undefined : new RecordStream(node.replication)
  const replicas =
    stream && replicaListener(options, { stream, log: parts.log, monitor: serverMonitor(metrics), metrics })
  const answerRequests = (rpc: Rpc, sources: SourceService) =>
    stream?.answerRequests((request) => sources.answerFollower(request) ?? rpc.answerFollower(request))
  const { workers: processes } = parts
  if (options.rpcWorkers > 0 && stream !== undefined && processes !== undefined) {
    // Loaded on demand.
    const { startWorkers } = await import('./worker-serving.ts')
    const names = new ContractNames()
    const rpcDeps = { ...rpcDepsOf(options, opened), interfaceOf: names.of }
    const rpc = createRpc(rpcOptionsOf(options, opened), rpcDeps)
    const identity = { ...options, exposure: opened.exposure, chainId: node.config.chainId }
    const sources = openSources(identity, { node, rpc, log: parts.log })
    names.useSources(sources.sources, opened.exposure)
    answerRequests(rpc, sources)
    const service = await startWorkers(options, opened, { stream, replicas, processes })
    return {
      ...service,
      async close() {
        await sources.close()
        await service.close()
      },
    }
  }
  return startService(options, opened, new Map(replicas && [[STREAM_PATH, replicas]]), {
    warms,
    beforeListen: async (rpc, sources) => answerRequests(rpc, sources),
  })
}
