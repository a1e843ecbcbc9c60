import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { systemClock } from '../node/clock.ts'
import { openNode } from '../node/open-node.ts'
import { createSchedule } from '../node/schedule.ts'
import { DEFAULT_POOL_OPTIONS } from '../pool/options.ts'
import { createRestService } from '../rest/rest-service.ts'
import type { RpcOptions } from '../rpc/context.ts'
import { createRpc, RPC_DEFAULTS } from '../rpc/create-rpc.ts'
import { warmUp } from '../rpc/warm-up.ts'
import { createServer, type RunningServer } from '../server/create-server.ts'
import { CallWorkers } from '../server/workers/call-workers.ts'
import type { NetworkUrls } from './banner.ts'
import { genesisOf } from './genesis-flags.ts'
import type { StartOptions } from './start-options.ts'
import { VERSION } from './version.ts'

/** Records of so many blocks stay: two minutes at the default block time, and all partial hashes that are still found. */
const REPLAY_BLOCKS = 64
/** Milliseconds that a start takes longer, at most, so that the first requests do not. */
const WARM_UP_LIMIT = 250
/** Long requests that may wait for a thread. */
const MAX_WAITING_CALLS = 64
/** Milliseconds without an answer after which a thread for long requests is ended. */
const WORKER_STALL_LIMIT = 60_000
/** Design section 4. */
const MAX_BLOCKS_BEHIND = 8

export interface NetworkServer {
  readonly urls: NetworkUrls
  /** Takes no more requests, finishes those under way, then stops the node. */
  close(): Promise<void>
}

/** One network from its genesis to its socket. */
export async function serveNetwork(
  options: StartOptions,
  network: { readonly name: 'main' | 'test'; readonly chainId: bigint; readonly port: number },
  log: Logger,
  onFailure: (error: unknown) => void = () => {},
): Promise<NetworkServer> {
  const { name, chainId, port } = network
  const { host, gasLimit } = options
  const genesis = genesisOf(name, options)
  const node = await openNode(
    {
      genesis,
      directory: options.ephemeral ? undefined : join(options.datadir, name),
      schedule: createSchedule(options.blockTime, options.flashblockInterval),
      gasLimit,
      timeBudget: options.timeBudget,
      finalityDepth: options.finalityDepth,
      history: options.history,
      replayBlocks: REPLAY_BLOCKS,
      maxBlocksBehind: MAX_BLOCKS_BEHIND,
      pool: {
        ...DEFAULT_POOL_OPTIONS,
        maxTransactions: options.poolSize,
        maxPerSender: options.poolSenderSlots,
        minimumTip: options.minimumTip,
      },
    },
    { clock: systemClock, log, yieldTurn: () => new Promise((resolve) => setImmediate(resolve)) },
  )
  node.events.on('failed', onFailure)
  const clientVersion = `Tickertape/v${VERSION}/${process.platform}-${process.arch}/node${process.versions.node}`
  const rpcOptions: RpcOptions = {
    ...RPC_DEFAULTS,
    dialect: options.dialect,
    clientVersion,
    networkId: chainId,
    maxLogs: options.logsMaxResults,
    maxLogRange: options.logsMaxRange,
    logTimeout: options.logsTimeout,
  }
  const workers = new CallWorkers(
    {
      count: options.callWorkers,
      maxWaiting: MAX_WAITING_CALLS,
      stallLimit: WORKER_STALL_LIMIT,
      genesis,
      finalityDepth: options.finalityDepth,
      blockTime: node.blockTime,
      rpc: rpcOptions,
    },
    { node, log },
  )
  const rpc = createRpc(rpcOptions, {
    node,
    clock: systemClock,
    log,
    randomBytes,
    ...(options.callWorkers > 0 && { offload: workers }),
  })
  await warmUp(rpc, () => systemClock.monotonic(), WARM_UP_LIMIT)
  const server = await listen().catch(async (error: unknown) => {
    await node.stop()
    throw error
  })
  return {
    urls: urlsOf(host, server.port),
    async close() {
      await server.close()
      await workers.close()
      await node.stop()
    },
  }

  async function listen(): Promise<RunningServer> {
    const rest = await createRestService({ node, log })
    const { allowedHosts, corsOrigins: allowedOrigins } = options
    return createServer({ host, port, allowedHosts, allowedOrigins }, { rpc, rest, log })
  }
}

function urlsOf(host: string, port: number): NetworkUrls {
  // A wildcard address is no address to connect to.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const authority = `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
  return { rpc: `http://${authority}`, ws: `ws://${authority}`, rest: `http://${authority}` }
}
