import { startAddressIndex } from '../../node/address-index/start-address-index.ts'
import type { NodeHandle } from '../../node/core/node-handle.ts'
import { STREAM_PATH } from '../../replication/messages.ts'
import { RecordStream } from '../../replication/record-stream.ts'
import { createRpc, type Rpc } from '../../rpc/create-rpc.ts'
import type { NetworkUrls } from '../banner.ts'
import { authorityOf } from '../flags/exposure.ts'
import type { ServeOptions } from '../flags/start-flags.ts'
import { type RunningService, rpcDepsOf, rpcOptionsOf, serverMonitor, startService } from './node-serving.ts'
import { type NetworkIdentity, type NetworkParts, type OpenedNode, type Opening, openNetwork } from './open-network.ts'
import { replicaListener } from './replica-listening.ts'
import { openStateFile, type StateFileOptions } from './state-file.ts'

export interface NetworkServer {
  readonly urls: NetworkUrls
  /** Accepts no more requests, completes those in progress, then stops the node. */
  close(): Promise<void>
}

/**
 * Serves one network in this process, or in RPC workers.
 *
 * @param source URL of the followed node, if any
 * @throws ExposureError when access flags are dangerous or contradictory; errors of opening the node; the system
 *   error when the
 *   port is not available
 */
export async function serveNode(
  options: ServeOptions,
  network: NetworkIdentity,
  parts: NetworkParts,
  open: (opening: Opening) => Promise<NodeHandle>,
  { source, stateFile }: { readonly source?: string; readonly stateFile?: StateFileOptions } = {},
): Promise<NetworkServer> {
  const process = options.rpcWorkers > 0 ? 'writer' : undefined
  const opened = await openNetwork(options, network, parts, open, { source, process })
  const stop = async (error: unknown) => {
    await opened.stop()
    throw error
  }
  const { node } = opened
  const file = stateFile && (await openStateFile(stateFile, { node, log: parts.log }).catch(stop))
  const stopIndex = options.addressIndex ? await startIndex(opened).catch(stop) : undefined
  const service = await start(options, opened).catch(stop)
  return {
    urls: urlsOf(options.host, service.port),
    async close() {
      opened.beginStop()
      await service.close()
      await stopIndex?.()
      await file?.close()
      await opened.stop()
    },
  }
}

async function start(options: ServeOptions, opened: OpenedNode): Promise<Pick<RunningService, 'port' | 'close'>> {
  const { metrics, node, parts } = opened
  const stream = node.replication && new RecordStream(node.replication)
  const replicas =
    stream && replicaListener(options, { stream, log: parts.log, monitor: serverMonitor(metrics), metrics })
  const answerRequests = (rpc: Rpc) => stream?.answerRequests((request) => rpc.answerFollower(request))
  if (options.rpcWorkers > 0 && stream !== undefined) {
    // Loaded on demand.
    const { startWorkers } = await import('./worker-serving.ts')
    answerRequests(createRpc(rpcOptionsOf(options, opened), rpcDepsOf(opened)))
    return startWorkers(options, opened, { stream, replicas })
  }
  return startService(options, opened, new Map(replicas && [[STREAM_PATH, replicas]]), {
    beforeListen: async (rpc) => answerRequests(rpc),
  })
}

function startIndex({ node, genesis, parts: { log } }: OpenedNode): Promise<() => Promise<void>> {
  const { directory } = node.logPosition()
  return startAddressIndex({ directory, genesis }, (error) => log.warn({ err: error }, 'addresses are not indexed'))
}

function urlsOf(host: string, port: number): NetworkUrls {
  const authority = authorityOf(host, port)
  return { rpc: `http://${authority}`, ws: `ws://${authority}`, rest: `http://${authority}` }
}
