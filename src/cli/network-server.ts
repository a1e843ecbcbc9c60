import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { BatchedSenderRecovery, startSignatureThread } from '../node/batched-recovery.ts'
import { systemClock } from '../node/clock.ts'
import { openNode } from '../node/open-node.ts'
import { createSchedule } from '../node/schedule.ts'
import type { RestService } from '../rest/rest-service.ts'
import type { Registry } from '../rest/tokenized-stocks/registry.ts'
import type { RpcOptions } from '../rpc/context.ts'
import { createRpc, type Rpc } from '../rpc/create-rpc.ts'
import { namespacesOf } from '../rpc/namespaces.ts'
import { METHODS } from '../rpc/registry.ts'
import { warmUp } from '../rpc/warm-up.ts'
import { createServer, type RunningServer } from '../server/create-server.ts'
import { FlashblockFeed } from '../server/feed/flashblock-feed.ts'
import { Metrics } from '../server/metrics/metrics.ts'
import { readProcessMetrics } from '../server/metrics/process-metrics.ts'
import { requestMonitor } from '../server/metrics/request-monitor.ts'
import type { ServerMonitor } from '../server/monitor.ts'
import { createOperations } from '../server/operations.ts'
import { type NodeCondition, readinessLimits } from '../server/readiness.ts'
import { CallWorkers } from '../server/workers/call-workers.ts'
import type { NetworkUrls } from './banner.ts'
import { decideExposure, type Exposure, ExposureError, hasDevelopmentKeys } from './exposure.ts'
import type { StartOptions } from './flags/start-flags.ts'
import { genesisOf } from './genesis-flags.ts'
import { poolOptionsOf, rpcLimitsOf, serverLimitsOf } from './limit-settings.ts'
import { readNodeMetrics, watchCondition, workMeter } from './node-metrics.ts'
import { createSupplyService } from './supply-service.ts'
import { VERSION } from './version.ts'

/** Records of so many blocks stay: two minutes at the default block time, and all partial hashes that are still found. */
const REPLAY_BLOCKS = 64
/** Milliseconds that a start takes longer, at most, so that the first requests do not. */
const WARM_UP_LIMIT = 250
const MAX_WARMED_CONTRACTS = 64
/** Long requests that may wait for a thread. */
const MAX_WAITING_CALLS = 64
/** Milliseconds without an answer after which a thread for long requests is ended. */
const WORKER_STALL_LIMIT = 60_000
/** A way to another thread and back costs about as much as two signatures; a batch is added to the pool in one piece. */
const RECOVERY_BATCHES = { smallestBatch: 3, largestBatch: 64 }
/** Design section 4. */
const MAX_BLOCKS_BEHIND = 8

export interface NetworkServer {
  readonly urls: NetworkUrls
  /** Takes no more requests, finishes those under way, then stops the node. */
  close(): Promise<void>
}

interface NetworkIdentity {
  readonly name: 'main' | 'test'
  readonly port: number
}

export interface NetworkParts {
  readonly log: Logger
  /** Stocks that are listed by name; none where it is left out. */
  readonly registry?: (() => Registry) | undefined
  /** The node cannot go on. */
  readonly onFailure?: (error: unknown) => void
}

/**
 * One network from its genesis to its socket.
 *
 * @throws ExposureError when the flags would open the node in a way that nobody can want
 */
export async function serveNetwork(
  options: StartOptions,
  network: NetworkIdentity,
  parts: NetworkParts,
): Promise<NetworkServer> {
  const { log, registry, onFailure = () => {} } = parts
  const genesis = genesisOf(network.name, options)
  const decision = decideExposure(options, {
    namespaces: namespacesOf(METHODS),
    hasDevelopmentKeys: hasDevelopmentKeys(genesis),
  })
  if (decision.kind === 'refused') throw new ExposureError(decision.message)
  const { exposure } = decision
  const metrics = new Metrics()
  const schedule = createSchedule(options.blockTime, options.flashblockInterval)
  const senders = sendersOf(options, log)
  const node = await openNode(
    {
      genesis,
      directory: options.ephemeral ? undefined : join(options.datadir, network.name),
      schedule,
      gasLimit: options.gasLimit,
      sequencing: !options.standStill,
      timeBudget: options.timeBudget,
      finalityDepth: options.finalityDepth,
      history: options.history,
      replayBlocks: REPLAY_BLOCKS,
      maxBlocksBehind: MAX_BLOCKS_BEHIND,
      pool: poolOptionsOf(options),
    },
    {
      clock: systemClock,
      log,
      yieldTurn: () => new Promise((resolve) => setImmediate(resolve)),
      meter: workMeter(metrics),
      ...(senders && { senders }),
    },
  )
  node.events.on('failed', onFailure)
  let isStopping = false
  const condition = watchCondition(node, systemClock, () => isStopping)
  readNodeMetrics(metrics, node, condition)
  const rpcOptions = rpcOptionsOf(options, { networkId: genesis.config.chainId, exposure })
  const workers = new CallWorkers(
    {
      count: options.callWorkers,
      maxWaiting: MAX_WAITING_CALLS,
      stallLimit: WORKER_STALL_LIMIT,
      genesis,
      finalityDepth: options.finalityDepth,
      blockTime: node.blockTime,
      slots: node.slots,
      gasLimit: node.gasLimit,
      rpc: rpcOptions,
    },
    { node, log },
  )
  const now = () => systemClock.monotonic()
  const rpcParts = { node, clock: systemClock, log, randomBytes }
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
  const rest = createSupplyService(network.name, { node, registry, log })
  const surroundings = { network, exposure, metrics, log, rpc, rest, feed, condition }
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

interface Surroundings {
  readonly network: NetworkIdentity
  readonly exposure: Exposure
  readonly metrics: Metrics
  readonly log: Logger
}

function rpcOptionsOf(
  options: StartOptions,
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
  options: StartOptions,
  parts: Surroundings & {
    readonly rpc: Rpc
    readonly rest: RestService
    readonly feed: FlashblockFeed
    readonly condition: () => NodeCondition
  },
): Promise<RunningServer> {
  const { network, exposure, metrics, log, rpc, rest, feed, condition } = parts
  const { host, allowedHosts, blockTime, flashblockInterval: interval } = options
  const limits = readinessLimits({ blockTime, interval, maxBlocksBehind: MAX_BLOCKS_BEHIND })
  const monitor: ServerMonitor = {
    rejected: (status) => metrics.counter('tickertape_rejected_requests_total', String(status)).add(),
    dropped: (reason) => metrics.counter('tickertape_dropped_consumers_total', reason).add(),
  }
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
      operations: createOperations(limits, { condition, metrics }),
      monitor,
      log,
    },
  )
}

function urlsOf(host: string, port: number): NetworkUrls {
  // A wildcard address is no address to connect to.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const authority = `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
  return { rpc: `http://${authority}`, ws: `ws://${authority}`, rest: `http://${authority}` }
}

/** Without other threads each sender is recovered where the transaction comes in. */
function sendersOf({ callWorkers }: StartOptions, log: Logger): BatchedSenderRecovery | undefined {
  if (callWorkers === 0) return undefined
  return new BatchedSenderRecovery(RECOVERY_BATCHES, {
    startThread: startSignatureThread,
    nextRound: setImmediate,
    log,
  })
}
