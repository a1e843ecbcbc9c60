import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { AnswerBudget } from './answer-budget.ts'
import { AnswersUnderWay } from './answers-under-way.ts'
import { createHttpHandler, type HttpOptions, type HttpParts, type HttpRpc } from './http.ts'
import { DEFAULT_LIMITS, type ServerLimits } from './limits.ts'
import type { SocketRpc } from './served-socket.ts'
import { WebSocketListener } from './ws.ts'

/** Milliseconds between looks at the time that connections take. */
const CHECK_INTERVAL = 1_000
/** Milliseconds that a client has to answer that its WebSocket is closed. */
const GOODBYE = 500

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
  const { headersTimeout, requestTimeout } = limits
  const budget = new AnswerBudget({ limit: limits.maxUnreadBytes })
  const server = createHttpServer(
    { keepAliveTimeout: 120_000, headersTimeout, requestTimeout, connectionsCheckingInterval: CHECK_INTERVAL },
    createHttpHandler(shared, parts, budget),
  )
  server.maxConnections = limits.maxConnections
  const answers = new AnswersUnderWay(server)
  const sockets = new WebSocketListener(shared, { server, rpc: parts.rpc, log: parts.log, budget })
  await listen(server, options)
  return {
    port: (server.address() as AddressInfo).port,
    close: () => drain(server, { answers, sockets }, limits.closeGrace),
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

/**
 * Reads nothing new, answers what was read, and says goodbye. What takes longer than `grace` milliseconds is cut off.
 */
async function drain(
  server: Server,
  { answers, sockets }: { readonly answers: AnswersUnderWay; readonly sockets: WebSocketListener },
  grace: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  answers.endConnections()
  const cancelGrace = afterwards(grace, () => server.closeAllConnections())
  await Promise.race([sockets.finish(), delay(grace, undefined, { ref: false })])
  sockets.close()
  const cancelGoodbye = afterwards(GOODBYE, () => sockets.terminate())
  await closed
  cancelGrace()
  cancelGoodbye()
}

/** @returns what prevents it */
function afterwards(milliseconds: number, action: () => void): () => void {
  const timer = setTimeout(action, milliseconds)
  return () => clearTimeout(timer)
}
