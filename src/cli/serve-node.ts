import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createSocketServer } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Genesis } from '../chain/genesis.ts'
import { BatchedSenderRecovery, startSignatureThread } from '../node/batched-recovery.ts'
import { type Clock, processorTime, systemClock } from '../node/clock.ts'
import type { OperatedNode } from '../node/operated-node.ts'
import type { SenderRecovery } from '../node/sender-recovery.ts'
import type { WorkMeter } from '../node/work-meter.ts'
import type { RestService } from '../rest/rest-service.ts'
import type { Registry } from '../rest/tokenized-stocks/registry.ts'
import type { RpcOptions } from '../rpc/context.ts'
import { createRpc, type Rpc } from '../rpc/create-rpc.ts'
import { namespacesOf } from '../rpc/namespaces.ts'
import { METHODS } from '../rpc/registry.ts'
import { warmUp } from '../rpc/warm-up.ts'
import { createServer, type RunningServer } from '../server/create-server.ts'
import { FlashblockFeed } from '../server/feed/flashblock-feed.ts'
import { isLoopback } from '../server/loopback.ts'
import { Metrics } from '../server/metrics/metrics.ts'
import { readProcessMetrics } from '../server/metrics/process-metrics.ts'
import { requestMonitor } from '../server/metrics/request-monitor.ts'
import { lookupMonitor, monitoredRest } from '../server/metrics/rest-monitor.ts'
import type { ServerMonitor } from '../server/monitor.ts'
import { createOperations, healthOf, readinessOf } from '../server/operations.ts'
import {
  type FailoverCondition,
  type FollowingCondition,
  type NodeCondition,
  readinessLimits,
} from '../server/readiness.ts'
import { STREAM_PATH } from '../server/replicas/messages.ts'
import { ReplicaListener, type ReplicaListenerParts } from '../server/replicas/replica-listener.ts'
import { CallWorkers } from '../server/workers/call-workers.ts'
import { authorityOf } from './authority.ts'
import type { NetworkUrls } from './banner.ts'
import { decideExposure, type Exposure, ExposureError, hasDevelopmentKeys } from './exposure.ts'
import type { ServeOptions } from './flags/start-flags.ts'
import { genesisOf } from './genesis-flags.ts'
import { rpcLimitsOf, serverLimitsOf } from './limit-settings.ts'
import { readNodeMetrics, watchCondition, workMeter } from './node-metrics.ts'
import { createSupplyService } from './supply-service.ts'
import { VERSION } from './version.ts'

/** Milliseconds that a start takes longer, at most, so that the first requests do not. */
const WARM_UP_LIMIT = 250
const MAX_WARMED_CONTRACTS = 64
/** Long requests that may wait for a thread. */
const MAX_WAITING_CALLS = 64
/** Milliseconds without an answer after which a thread for long requests is ended. */
const WORKER_STALL_LIMIT = 60_000
/** Replicas that take over a snapshot at once. */
const MAX_SNAPSHOTS = 2
/** Milliseconds between messages that tell a replica how far the chain is. */
const NEWEST_INTERVAL = 1_000
/** A way to another thread and back costs about as much as two signatures; a batch is added to the pool in one piece. */
const RECOVERY_BATCHES = { smallestBatch: 3, largestBatch: 16, patience: 2 }
/** Sealed blocks that may wait for the store (design section 4). */
export const MAX_BLOCKS_BEHIND = 8

export interface NetworkServer {
  readonly urls: NetworkUrls
  /** Takes no more requests, finishes those under way, then stops the node. */
  close(): Promise<void>
}

export interface NetworkParts {
  readonly log: Logger
  /** Stocks that are listed by name; none where it is left out. */
  readonly registry?: (() => Registry) | undefined
  /** The node cannot go on. */
  readonly onFailure?: (error: unknown) => void
  /** Whoever waits for a network that is being opened does not want it any more. */
  readonly signal?: AbortSignal
}

/** What opening a node takes from where it is served. */
export interface Opening {
  readonly genesis: Genesis
  /** Where the chain is kept; `undefined`: in a temporary directory. */
  readonly directory: string | undefined
  readonly environment: {
    readonly clock: Clock
    readonly log: Logger
    readonly yieldTurn: () => Promise<void>
    readonly meter: WorkMeter
    readonly senders?: SenderRecovery
    readonly signal?: AbortSignal
  }
}

export interface NetworkIdentity {
  readonly name: 'main' | 'test'
  readonly port: number
}

/** What is to be said of a node beside what all have. */
export interface ServedConditions<Served> {
  /** `undefined`: it follows nobody now. */
  readonly following?: (node: Served) => FollowingCondition | undefined
  readonly failover?: (node: Served) => FailoverCondition
}

/**
 * One network from its genesis to its socket, whatever makes its blocks.
 *
 * @throws ExposureError when the flags would open the node in a way that nobody can want, what opening the node throws, and
 *   the system's error when the port cannot be had
 */
export async function serveNode<Served extends OperatedNode>(
  options: ServeOptions,
  network: NetworkIdentity,
  parts: NetworkParts,
  open: (opening: Opening) => Promise<Served>,
  conditions: ServedConditions<Served> = {},
): Promise<NetworkServer> {
  const { log, registry, onFailure = () => {}, signal } = parts
  const genesis = genesisOf(network.name, options)
  const decision = decideExposure(options, {
    namespaces: namespacesOf(METHODS),
    hasDevelopmentKeys: hasDevelopmentKeys(genesis),
  })
  if (decision.kind === 'refused') throw new ExposureError(decision.message)
  const { exposure } = decision
  await tryPort(options.host, network.port)
  const metrics = new Metrics()
  const senders = sendersOf(options, log)
  const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
  const node = await open({
    genesis,
    directory: options.ephemeral ? undefined : join(options.datadir, network.name),
    environment: {
      clock: systemClock,
      log,
      yieldTurn,
      meter: workMeter(metrics),
      ...(senders && { senders }),
      ...(signal && { signal }),
    },
  })
  node.events.on('failed', onFailure)
  let isStopping = false
  const condition = watchCondition(node, systemClock, {
    isStopping: () => isStopping,
    following: () => conditions.following?.(node),
    failover: () => conditions.failover?.(node),
  })
  readNodeMetrics(metrics, node, condition)
  const rpcOptions = rpcOptionsOf(options, { networkId: genesis.config.chainId, exposure })
  const { finalityDepth, blockTime, slots, gasLimit } = node
  const workers = new CallWorkers(
    {
      count: options.callWorkers,
      maxWaiting: MAX_WAITING_CALLS,
      stallLimit: WORKER_STALL_LIMIT,
      genesis,
      finalityDepth,
      blockTime,
      slots,
      gasLimit,
      rpc: rpcOptions,
    },
    { node, log },
  )
  const now = () => systemClock.monotonic()
  const rpcParts = { node, clock: systemClock, processorTime, log, randomBytes }
  // Without other threads: a slow start must not begin one.
  const contracts = [...genesis.alloc].filter(([, { code }]) => code.length > 0).map(([address]) => address)
  const warming = { limit: WARM_UP_LIMIT, contracts: contracts.slice(0, MAX_WARMED_CONTRACTS) }
  await warmUp(createRpc(rpcOptions, rpcParts), warming, now)
  const rpc = createRpc(rpcOptions, {
    ...rpcParts,
    monitor: requestMonitor({ slowAfter: options.slowRequest }, { metrics, log }),
    ...(options.callWorkers > 0 && { offload: workers }),
  })
  const feed = new FlashblockFeed({ node, log, now, nextRound: setImmediate })
  const supply = createSupplyService(network.name, { node, registry, log, onLookup: lookupMonitor(metrics) })
  const rest = monitoredRest(supply, { metrics, now })
  const surroundings = { network, exposure, metrics, log, rpc, rest, feed, node, condition }
  const server = await listen(options, surroundings).catch(async (error: unknown) => {
    await node.stop()
    throw error
  })
  metrics.read('tickertape_open_sockets', () => server.sockets)
  metrics.read('tickertape_open_connections', () => server.connections())
  metrics.read('tickertape_subscriptions', () => rpc.subscriptions)
  metrics.read('tickertape_feed_subscribers', () => Object.entries(feed.subscribers))
  const stopReading = readProcessMetrics(metrics)
  return {
    urls: urlsOf(options.host, server.port),
    async close() {
      isStopping = true
      await server.close()
      stopReading()
      await workers.close()
      await senders?.close()
      await node.stop()
    },
  }
}

/** Opening may take long, as when a replica takes over a chain: that the port is in use is told before. */
async function tryPort(host: string, port: number): Promise<void> {
  const server = createSocketServer().listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

interface Surroundings {
  readonly network: NetworkIdentity
  readonly exposure: Exposure
  readonly metrics: Metrics
  readonly log: Logger
}

function rpcOptionsOf(
  options: ServeOptions,
  { networkId, exposure }: { readonly networkId: bigint; readonly exposure: Exposure },
): RpcOptions {
  const { httpNamespaces, wsNamespaces } = exposure
  const clientVersion = `Tickertape/v${VERSION}/${process.platform}-${process.arch}/node${process.versions.node}`
  return {
    ...rpcLimitsOf(options),
    clientVersion,
    version: VERSION,
    networkId,
    httpNamespaces,
    wsNamespaces,
  }
}

async function listen(
  options: ServeOptions,
  parts: Surroundings & {
    readonly rpc: Rpc
    readonly rest: RestService
    readonly feed: FlashblockFeed
    readonly node: OperatedNode
    readonly condition: () => NodeCondition
  },
): Promise<RunningServer> {
  const { network, exposure, metrics, log, rpc, rest, feed, node, condition } = parts
  const { host, allowedHosts } = options
  const blockTime = node.blockTime * 1000
  const limits = readinessLimits({ blockTime, interval: blockTime / node.slots, maxBlocksBehind: MAX_BLOCKS_BEHIND })
  const monitor: ServerMonitor = {
    rejected: (status) => metrics.counter('tickertape_rejected_requests_total', String(status)).add(),
    dropped: (reason) => metrics.counter('tickertape_dropped_consumers_total', reason).add(),
  }
  const replicas = replicaService(options, { stream: node.records, log, monitor, metrics })
  return createServer(
    {
      host,
      port: network.port,
      allowedHosts,
      allowedOrigins: exposure.corsOrigins,
      socketOrigins: exposure.socketOrigins,
      rateLimit: exposure.rateLimit,
      requestIdPrefix: randomBytes(4).toString('hex'),
      limits: serverLimitsOf(options),
    },
    {
      rpc,
      rest,
      feed,
      operations: createOperations({
        readiness: () => readinessOf(condition(), limits),
        health: () => healthOf(condition()),
        metrics,
      }),
      monitor,
      log,
      endpoints: new Map(replicas === undefined ? [] : [[STREAM_PATH, replicas]]),
    },
  )
}

/** Whoever follows gets every record and a copy of the state: beyond loopback only with a token. */
function replicaService(
  { host, replicaToken: token, maxReplicas, maxQueuedBytes, maxBodyBytes, writeTimeout }: ServeOptions,
  parts: ReplicaListenerParts & { readonly metrics: Metrics },
): ReplicaListener | undefined {
  if (maxReplicas === 0 || (token === undefined && !isLoopback(host))) return undefined
  const limits = { maxSnapshots: MAX_SNAPSHOTS, stallLimit: writeTimeout, newestInterval: NEWEST_INTERVAL }
  const listener = new ReplicaListener({ token, maxReplicas, maxQueuedBytes, maxBodyBytes, ...limits }, parts)
  parts.metrics.read('tickertape_replicas', () => listener.size)
  return listener
}

function urlsOf(host: string, port: number): NetworkUrls {
  const authority = authorityOf(host, port)
  return { rpc: `http://${authority}`, ws: `ws://${authority}`, rest: `http://${authority}` }
}

/** Without other threads each sender is recovered where the transaction comes in. */
function sendersOf({ callWorkers }: ServeOptions, log: Logger): BatchedSenderRecovery | undefined {
  if (callWorkers === 0) return undefined
  return new BatchedSenderRecovery(RECOVERY_BATCHES, {
    startThread: startSignatureThread,
    nextRound: setImmediate,
    now: () => performance.now(),
    log,
  })
}
