import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { createNetwork } from '../chain/networks.ts'
import { systemClock } from '../node/clock.ts'
import { Node } from '../node/node.ts'
import { createSchedule } from '../node/schedule.ts'
import { DEFAULT_POOL_OPTIONS } from '../pool/options.ts'
import { createRestService } from '../rest/rest-service.ts'
import { createRpc, RPC_DEFAULTS } from '../rpc/create-rpc.ts'
import { createServer } from '../server/create-server.ts'
import type { NetworkUrls } from './banner.ts'
import type { StartOptions } from './start-options.ts'
import { VERSION } from './version.ts'

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
): Promise<NetworkServer> {
  const { name, chainId, port } = network
  const { host, gasLimit, minBaseFee, elasticity, denominator } = options
  const { genesis } = createNetwork({ name, chainId, gasLimit, minBaseFee, elasticity, denominator })
  const node = new Node(
    {
      genesis,
      schedule: createSchedule(options.blockTime, options.flashblockInterval),
      gasLimit,
      timeBudget: options.timeBudget,
      finalityDepth: options.finalityDepth,
      pool: {
        ...DEFAULT_POOL_OPTIONS,
        maxTransactions: options.poolSize,
        maxPerSender: options.poolSenderSlots,
        minimumTip: options.minimumTip,
      },
    },
    { clock: systemClock, log },
  )
  const clientVersion = `Tickertape/v${VERSION}/${process.platform}-${process.arch}/node${process.versions.node}`
  const rpc = createRpc(
    { ...RPC_DEFAULTS, dialect: options.dialect, clientVersion, networkId: chainId },
    { node, clock: systemClock, log, randomBytes },
  )
  const rest = await createRestService({ node, log })
  await node.start()
  const server = await createServer(
    { host, port, allowedHosts: options.allowedHosts, allowedOrigins: options.corsOrigins },
    { rpc, rest, log },
  )
  return {
    urls: urlsOf(host, server.port),
    async close() {
      await server.close()
      await node.stop()
    },
  }
}

function urlsOf(host: string, port: number): NetworkUrls {
  // A wildcard address is no address to connect to.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const authority = `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
  return { rpc: `http://${authority}`, ws: `ws://${authority}`, rest: `http://${authority}` }
}
