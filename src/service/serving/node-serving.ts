import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { MAIN_NETWORK } from '../../flags/network-flags.ts'
import type { ServeOptions } from '../../flags/start-flags.ts'
import { openAddressIndex } from '../../node/address-index/start-address-index.ts'
import { systemClock } from '../../node/core/clock.ts'
import type { RestService } from '../../rest/http/rest-service.ts'
import type { RpcDeps } from '../../rpc/context/dependencies.ts'
import { createRpc, type Rpc, servedMethods } from '../../rpc/create-rpc.ts'
import type { ReportedCall } from '../../rpc/protocol/reported-call.ts'
import { createServer, type RunningServer } from '../../server/create-server.ts'
import { FlashblockFeed } from '../../server/feed/flashblock-feed.ts'
import type { Metrics } from '../../server/metrics/metrics.ts'
import { readProcessMetrics } from '../../server/metrics/process-metrics.ts'
import { type RequestLog, requestMonitor } from '../../server/metrics/request-monitor.ts'
import { lookupMonitor, monitoredRest } from '../../server/metrics/rest-monitor.ts'
import type { MetricsSource } from '../../server/operations.ts'
import type { NodeCondition } from '../../server/readiness.ts'
import { readReferencePage } from '../../server/reference/reference-page.ts'
import { createStudioPages } from '../../server/studio/studio-pages.ts'
import type { ServerMonitor } from '../../server/transport/monitor.ts'
import type { SocketEndpoint } from '../../server/websocket/socket-endpoint.ts'
import { PROXIED } from '../exposure.ts'
import { readLimitsOf, serverLimitsOf } from '../limit-settings.ts'
import type { OpenedNode } from '../open-network.ts'
import { createCallWorkers, rpcDepsOf, rpcOptionsOf } from '../rpc-parts.ts'
import { VERSION } from '../version.ts'
import { ContractNames } from './contract-names.ts'
import { nodeOperations } from './node-operations.ts'
import { openSources, type SourceService } from './source-service.ts'
import { createSupplyService } from './supply-service.ts'
import { startWarming } from './warming.ts'

/** Where the build writes the studio, seen from a built module of this folder. */
const STUDIO_DIRECTORY = new URL('../../studio/', import.meta.url)

/** Overrides for a process that shares its port with others. */
export interface ProcessOverrides {
  readonly condition?: (() => NodeCondition) | undefined
  /** Metrics of all processes. */
  readonly metrics?: MetricsSource | undefined
  readonly rpc?: Pick<RpcDeps, 'randomBytes' | 'forwarder'> | undefined
  /** Whether another process listens and passes connections to `take`. */
  readonly isHanded?: boolean
  /** Whether warm-up requests run once it listens, so that clients find compiled code. Default: true. */
  readonly warms?: boolean
  /** Resolves when clients may connect. */
  readonly beforeListen?: ((rpc: Rpc, sources: SourceService) => Promise<void>) | undefined
}

export interface RunningService {
  readonly port: number
  /** Metrics of all processes that share the port. */
  readonly metrics: MetricsSource
  /** Serves a connection that another process accepted. */
  take(socket: Socket): void
  /** Accepts no more requests and completes those in progress. */
  close(): Promise<void>
}

/**
 * Serves JSON-RPC, REST, feed and metrics of a node on one port. The caller owns the node and stops it.
 *
 * @param endpoints WebSocket endpoints besides JSON-RPC and the feed
 * @throws the error of `listen`
 */
export async function startService(
  options: ServeOptions,
  opened: OpenedNode,
  endpoints: ReadonlyMap<string, SocketEndpoint>,
  overrides: ProcessOverrides = {},
): Promise<RunningService> {
  const { network, genesis, metrics, traces, node, parts } = opened
  const { log, registry } = parts
  const rpcOptions = rpcOptionsOf(options, opened)
  const shown = await parts.startOutput?.(options, { node, isDevelopment: opened.exposure.development, log })
  const onCall = shown && ((call: ReportedCall) => shown.report(call))
  const callWorkers = createCallWorkers(options, opened, { rpc: rpcOptions, onCall })
  const addressIndex = options.addressIndex ? openAddressIndex(node.logPosition().directory) : undefined
  const now = () => systemClock.monotonic()
  const names = new ContractNames(shown?.interfaceOf)
  const rpcParts = {
    ...rpcDepsOf(options, opened),
    interfaceOf: names.of,
    ...(addressIndex && { addressIndex }),
    ...overrides.rpc,
  }
  // The requests would read state of a forked chain, which is loaded on demand.
  const isForked = node.view().forkBlock !== undefined
  const isWarmed = overrides.warms !== false && !isForked
  const rpc = createRpc(rpcOptions, {
    ...rpcParts,
    monitor: requestMonitor(
      { slowRequestMs: options.slowRequestMs },
      { metrics, log, requestLog: requestLogOf(options, log), traces },
    ),
    ...(traces && { onFlashblockDelivered: traces.onFlashblockDelivered }),
    // Other threads could not read the state of a fork.
    ...(options.callWorkers > 0 && !isForked && { offload: callWorkers }),
    ...(onCall !== undefined && { onCall, entryFailureOf: (trace) => shown?.entryFailureOf(trace) }),
  })
  const onFlashblockDelivered = traces?.onFlashblockDelivered
  const feed = new FlashblockFeed({ node, log, now, nextRound: setImmediate, onFlashblockDelivered })
  const supply = await createSupplyService(network.name, readLimitsOf(options), {
    node,
    directory: node.logPosition().directory,
    genesis,
    registry,
    log,
    readReference: () =>
      readReferencePage({
        directory: STUDIO_DIRECTORY,
        methods: servedMethods(rpcOptions, { node }),
        hasStudio: opened.exposure.studio,
      }),
    onLookup: lookupMonitor(metrics),
  })
  const rest = monitoredRest(supply, { metrics, now })
  const sources = openSources(
    { ...options, exposure: opened.exposure, chainId: node.config.chainId },
    { node, rpc, log },
  )
  names.useSources(sources.sources, opened.exposure)
  shown?.useSources(sources.sources)
  await overrides.beforeListen?.(rpc, sources)
  const server = await listen(options, opened, { rpc, rest, sources, feed, endpoints, overrides }).catch(
    async (error: unknown) => {
      await callWorkers.close()
      throw error
    },
  )
  readServerMetrics(metrics, { server, rpc, feed })
  const stopReading = readProcessMetrics({ version: VERSION }, metrics)
  const warming = isWarmed ? startWarming(() => createRpc(rpcOptions, rpcParts), { genesis, node, now }) : undefined
  return {
    port: server.port,
    metrics: overrides.metrics ?? metrics,
    take: server.take,
    async close() {
      await warming?.stop()
      await sources.close()
      await server.close()
      stopReading()
      await callWorkers.close()
      await shown?.close()
      await addressIndex?.close()
    },
  }
}

function readServerMetrics(
  metrics: Metrics,
  { server, rpc, feed }: { readonly server: RunningServer; readonly rpc: Rpc; readonly feed: FlashblockFeed },
): void {
  metrics.read('tickertape_open_sockets', () => server.sockets)
  metrics.read('tickertape_open_connections', () => server.connections)
  metrics.read('tickertape_incoming_bytes', () => server.incomingBytes)
  metrics.read('tickertape_subscriptions', () => rpc.subscriptions)
  metrics.read('tickertape_event_subscribers', () => server.streams)
  metrics.read('tickertape_feed_subscribers', () => Object.entries(feed.subscribers))
}

/** Log of every request, whatever the level of other messages; `undefined`: requests are not logged. */
function requestLogOf({ logRequests }: ServeOptions, log: Logger): RequestLog | undefined {
  return logRequests ? log.child({}, { level: log.level === 'silent' ? 'silent' : 'info' }) : undefined
}

async function listen(
  options: ServeOptions,
  { network, exposure, metrics, node, condition, parts: { log, readAbis } }: OpenedNode,
  served: {
    readonly rpc: Rpc
    readonly rest: RestService
    readonly sources: SourceService
    readonly feed: FlashblockFeed
    readonly endpoints: ReadonlyMap<string, SocketEndpoint>
    readonly overrides: ProcessOverrides
  },
): Promise<RunningServer> {
  const { rpc, rest, sources, feed, endpoints, overrides } = served
  const { host, allowedHosts } = options
  return createServer(
    {
      host,
      port: network.port,
      isHanded: overrides.isHanded ?? false,
      ipcPath: network.name === MAIN_NETWORK.name ? options.ipc : undefined,
      allowedHosts,
      allowedOrigins: exposure.corsOrigins,
      socketOrigins: exposure.socketOrigins,
      rateLimit: exposure.rateLimit,
      trustProxy: options.trustProxy,
      outside: exposure.outside && {
        allowedOrigins: exposure.outside.corsOrigins,
        socketOrigins: exposure.outside.socketOrigins,
        rateLimit: exposure.outside.rateLimit,
        metrics: exposure.outside.metrics,
        hasPages: exposure.outside.studio,
        onFirst: () => log.warn(PROXIED),
      },
      requestIdPrefix: randomBytes(4).toString('hex'),
      limits: serverLimitsOf(options),
    },
    {
      rpc,
      rest,
      section: sources.section,
      feed,
      operations: nodeOperations(
        options,
        { node, condition: overrides.condition ?? condition },
        exposure.metrics && options.metricsPort === undefined ? (overrides.metrics ?? metrics) : undefined,
      ),
      ...(exposure.studio && {
        pages: createStudioPages(
          { directory: STUDIO_DIRECTORY },
          { readAbis: options.abi === undefined ? undefined : async () => (await readAbis?.(options.abi!, log)) ?? [] },
        ),
      }),
      monitor: serverMonitor(metrics),
      log,
      endpoints,
    },
  )
}

/** Counts rejected requests. */
export function serverMonitor(metrics: Metrics): ServerMonitor {
  return {
    rejected: (status) => metrics.counter('tickertape_rejected_requests_total', String(status)).add(),
    dropped: (reason) => metrics.counter('tickertape_dropped_consumers_total', reason).add(),
  }
}
