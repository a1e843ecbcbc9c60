import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../node/core/clock.ts'
import { FEED_PATH, FeedEndpoint } from './feed/feed-endpoint.ts'
import type { FlashblockFeed } from './feed/flashblock-feed.ts'
import { ClientResolver } from './http/client-resolver.ts'
import type { Access } from './http/exchange.ts'
import { HttpListener } from './http/http-listener.ts'
import { type HttpDeps, type HttpOptions, HttpService } from './http/http-service.ts'
import type { HttpRpc } from './http/rpc-exchange.ts'
import { TrustedProxies } from './http/trusted-proxies.ts'
import { IpcListener } from './ipc/ipc-listener.ts'
import { METRICS_PATH, upgradeRequired } from './operations.ts'
import { BodyStreams } from './transport/body-streams.ts'
import { CoalescedWrites } from './transport/coalesced-writes.ts'
import { DEFAULT_LIMITS, type ServerLimits } from './transport/limits.ts'
import { NO_MONITOR } from './transport/monitor.ts'
import { RateLimiter, UNLIMITED } from './transport/rate-limiter.ts'
import { RequestBudget } from './transport/request-budget.ts'
import { ResponseBudget } from './transport/response-budget.ts'
import type { SocketRpc } from './websocket/served-socket.ts'
import { type EndpointDeps, RpcEndpoint, type SocketEndpoint } from './websocket/socket-endpoint.ts'
import { WebSocketListener } from './websocket/websocket-listener.ts'

/** Addresses with a rate limit bucket: a few megabytes. */
export const MAX_RATED_ADDRESSES = 20_000
/** Milliseconds that a client has to return the close frame. */
const CLOSE_TIMEOUT_MS = 500

export interface AccessOptions {
  /** Allowed origins of web pages; `*`: any. Default: none. */
  readonly allowedOrigins?: readonly string[]
  /** Allowed origins of web pages for WebSockets. Default: `allowedOrigins`. */
  readonly socketOrigins?: readonly string[]
  /** Cost of requests per second and client address, and per burst. Default: no limit. */
  readonly rateLimit?: { readonly rate: number; readonly burst: number } | undefined
}

export interface OutsideAccess extends AccessOptions {
  /** Whether `/metrics` and the pages are served. */
  readonly metrics: boolean
  readonly hasPages: boolean
  /** Called with the first such request. */
  readonly onFirst: () => void
}

export interface ServerOptions extends AccessOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Whether another process listens on the port and passes connections to `take`; default false. */
  readonly isHanded?: boolean
  /** Allowed host names beside localhost and IP addresses; `*`: any. */
  readonly allowedHosts?: readonly string[]
  /** Addresses, networks and `unix`: proxies whose headers name the client. */
  readonly trustProxy?: readonly string[]
  /** Access of requests with signs of a proxy, to a server on loopback. Default: as of other clients. */
  readonly outside?: OutsideAccess | undefined
  /** Prefix of request ids for requests without one. */
  readonly requestIdPrefix?: string
  readonly limits?: Partial<ServerLimits>
  /** Path of a Unix socket, or name of a pipe, for JSON-RPC beside the port. Default: none. */
  readonly ipcPath?: string | undefined
}

export interface ServerDeps extends Pick<HttpDeps, 'log'> {
  /** JSON-RPC at `/`; absent: `/` is a path of REST. */
  readonly rpc?: HttpRpc & SocketRpc
  readonly rest: HttpDeps['rest']
  /** Resources whose requests may have a body. */
  readonly section?: HttpDeps['section']
  /** The feed at `/feed`; absent: none. */
  readonly feed?: Pick<FlashblockFeed, 'subscribe'>
  readonly operations?: Access['operations']
  /** Pages by path whose scripts may open WebSockets to this server. */
  readonly pages?: Access['pages']
  readonly monitor?: HttpDeps['monitor']
  /** Further WebSocket endpoints by path. */
  readonly endpoints?: ReadonlyMap<string, SocketEndpoint>
}

export interface RunningServer {
  readonly port: number
  /** Open WebSockets. */
  readonly sockets: number
  /** Responses that are streams. */
  readonly streams: number
  /** Open connections of the port, WebSockets included. */
  readonly connections: number
  /** Bytes of requests that are incomplete or being answered. */
  readonly incomingBytes: number
  /** Serves a connection that another process accepted. */
  take(socket: Socket): void
  /** Stops accepting, waits for requests in flight, and closes all connections. */
  close(): Promise<void>
}

/**
 * Serves REST, and JSON-RPC over HTTP and WebSocket if given, on one port.
 *
 * @throws the error of `listen`, such as EADDRINUSE; IpcPathError
 * @example const server = await createServer({ host: '127.0.0.1', port: 0 }, { rpc, rest, log })
 */
export async function createServer(options: ServerOptions, deps: ServerDeps): Promise<RunningServer> {
  const { allowedHosts = [], requestIdPrefix = 'request', trustProxy = [] } = options
  const { rpc, rest, section, feed, log, monitor = NO_MONITOR } = deps
  const limits = limitsOf(options)
  const shared: HttpOptions = { limits, allowedHosts }
  const requestId = requestIds(requestIdPrefix)
  const budget = new ResponseBudget({ limit: limits.maxUnreadBytes })
  const requests = new RequestBudget(
    { limit: limits.maxIncomingBytes },
    { connections: () => listener.size, nextRound: setImmediate },
  )
  const streams = new BodyStreams(limits, { monitor })
  const service = new HttpService(shared, { rpc, rest, section, log, monitor, budget, streams, requestId })
  const writes = new CoalescedWrites({ now: systemClock.monotonic, nextRound: setImmediate })
  const endpointParts: EndpointDeps = { log, monitor, budget }
  const endpoints = new Map<string, SocketEndpoint>()
  if (rpc !== undefined) endpoints.set('/', new RpcEndpoint(limits, { ...endpointParts, rpc, writes, requests }))
  if (feed !== undefined) endpoints.set(FEED_PATH, new FeedEndpoint(limits, { ...endpointParts, feed }))
  for (const [path, endpoint] of deps.endpoints ?? []) endpoints.set(path, endpoint)
  const sockets = new WebSocketListener(shared, { endpoints, monitor, requests, requestId })
  const listener: HttpListener = new HttpListener(limits, {
    writes,
    service,
    requests,
    upgrades: sockets,
    streams,
    clients: clientResolver({ ...options, trustProxy }, deps),
    log,
  })
  const port = options.isHanded ? options.port : await listener.listen(options)
  const ipc =
    rpc === undefined || options.ipcPath === undefined
      ? undefined
      : await openIpc({ path: options.ipcPath, limits }, { ...endpointParts, rpc, requests, requestId }, listener)
  return {
    port,
    get sockets() {
      return sockets.size
    },
    get streams() {
      return streams.size
    },
    get connections() {
      return listener.size
    },
    get incomingBytes() {
      return requests.used
    },
    take: (socket) => listener.adopt(socket),
    close: () => drain(listener, [sockets, streams, ...(ipc === undefined ? [] : [ipc])], limits.closeGraceMs),
  }
}

function clientResolver(
  options: ServerOptions & { readonly trustProxy: readonly string[] },
  deps: ServerDeps,
): ClientResolver {
  const { outside } = options
  const { feed, monitor = NO_MONITOR, pages = new Map() } = deps
  const operations = new Map(deps.operations)
  if (feed !== undefined) operations.set(FEED_PATH, upgradeRequired(monitor))
  const fewer = new Map(operations)
  if (outside?.metrics !== true) fewer.delete(METRICS_PATH)
  return new ClientResolver({
    proxies: new TrustedProxies(options.trustProxy),
    access: accessOf(options, { operations, pages, hasOutsideAccess: false }),
    outside:
      outside &&
      accessOf(outside, { operations: fewer, pages: outside.hasPages ? pages : new Map(), hasOutsideAccess: true }),
    onProxied: () => outside?.onFirst(),
  })
}

function accessOf(
  { allowedOrigins = [], socketOrigins = allowedOrigins, rateLimit }: AccessOptions,
  more: Pick<Access, 'operations' | 'pages' | 'hasOutsideAccess'>,
): Access {
  const limiter =
    rateLimit && new RateLimiter({ ...rateLimit, maxAddresses: MAX_RATED_ADDRESSES }, { now: systemClock.monotonic })
  return { ...more, allowedOrigins, socketOrigins, chargeOf: (address) => limiter?.chargeOf(address) ?? UNLIMITED }
}

/** Closes the port if the endpoint cannot be opened. */
async function openIpc(
  options: Parameters<typeof IpcListener.open>[0],
  deps: Parameters<typeof IpcListener.open>[1],
  listener: HttpListener,
): Promise<IpcListener> {
  try {
    return await IpcListener.open(options, deps)
  } catch (error) {
    listener.destroyConnections()
    await listener.close()
    throw error
  }
}

/** Headers time out no later than the whole request. */
function limitsOf(options: Pick<ServerOptions, 'limits'>): ServerLimits {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  return { ...limits, headersTimeoutMs: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs) }
}

/**
 * Stops reading, completes the requests that were read, and closes. Cuts off connections after `grace` milliseconds.
 */
async function drain(
  listener: HttpListener,
  connected: readonly Pick<WebSocketListener, 'finish' | 'close' | 'terminate'>[],
  grace: number,
): Promise<void> {
  const closed = listener.close()
  listener.endConnections()
  const cancelGrace = afterwards(grace, () => listener.destroyConnections())
  const finished = Promise.all(connected.map((each) => each.finish()))
  await Promise.race([finished, delay(grace, undefined, { ref: false })])
  for (const each of connected) each.close()
  const cancelTermination = afterwards(CLOSE_TIMEOUT_MS, () => {
    for (const each of connected) each.terminate()
  })
  await closed
  cancelGrace()
  cancelTermination()
}

/** @returns a function that cancels it */
function afterwards(milliseconds: number, action: () => void): () => void {
  const timer = setTimeout(action, milliseconds)
  return () => clearTimeout(timer)
}

const ACCEPTED = /^[\w.:-]{1,64}$/

/**
 * Assigns request ids, so that log lines can be matched to responses. A client's own id is used if it is safe in logs
 * and headers.
 *
 * @param prefix of the process
 * @example requestIds('4f2a')(undefined) // '4f2a-1'
 */
export function requestIds(prefix: string): (given: string | string[] | undefined) => string {
  let count = 0
  return (given) => {
    if (typeof given === 'string' && ACCEPTED.test(given)) return given
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
