import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpHandler, type HttpOptions, type HttpParts, type HttpRpc } from './http.ts'
import { DEFAULT_LIMITS, type ServerLimits } from './limits.ts'
import { type SocketRpc, WebSocketListener } from './ws.ts'

export interface ServerOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Host names besides localhost and addresses; `*`: any. */
  readonly allowedHosts?: readonly string[]
  /** Origins of web pages that may ask; `*`: any. None by default. */
  readonly allowedOrigins?: readonly string[]
  readonly limits?: Partial<ServerLimits>
}

export interface ServerParts extends Omit<HttpParts, 'rpc'> {
  readonly rpc: HttpRpc & SocketRpc
}

export interface RunningServer {
  readonly port: number
  /** Takes no more, lets what is worked on finish, and ends all connections. */
  close(): Promise<void>
}

/**
 * One port for JSON-RPC over HTTP and WebSocket and for REST.
 *
 * @throws the error of `listen`, as EADDRINUSE
 * @example const server = await createServer({ host: '127.0.0.1', port: 0 }, { rpc, rest, log })
 */
export async function createServer(options: ServerOptions, parts: ServerParts): Promise<RunningServer> {
  const { allowedHosts = [], allowedOrigins = [] } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const shared: HttpOptions = { limits, allowedHosts, allowedOrigins }
  const server = createHttpServer({ keepAliveTimeout: 120_000 }, createHttpHandler(shared, parts))
  const sockets = new WebSocketListener(shared, { server, rpc: parts.rpc, log: parts.log })
  await listen(server, options)
  return {
    port: (server.address() as AddressInfo).port,
    close: () => drain(server, sockets, limits.closeGrace),
  }
}

function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

async function drain(server: Server, sockets: WebSocketListener, grace: number): Promise<void> {
  sockets.close()
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const timer = setTimeout(() => {
    sockets.terminate()
    server.closeAllConnections()
  }, grace)
  await closed
  clearTimeout(timer)
}
