import type { Socket } from 'node:net'
import { type Server as SocketServer, type WebSocket, WebSocketServer } from 'ws'
import type { HttpPeer, HttpResponse, ResolvedClient } from '../http/exchange.ts'
import type { HttpOptions, Upgrades } from '../http/http-service.ts'
import type { RequestHead } from '../http/request-head.ts'
import { isAllowedHost, isAllowedOrigin, isSameOrigin } from '../transport/host-guard.ts'
import type { ServerLimits } from '../transport/limits.ts'
import type { ServerMonitor } from '../transport/monitor.ts'
import type { RequestBudget } from '../transport/request-budget.ts'
import { DirectTextSocket } from './direct-text-socket.ts'
import { handshakeRequest } from './handshake-request.ts'
import { meterMessages } from './metered-messages.ts'
import type { Acceptance, Refusal, SocketEndpoint, SocketSession, UpgradingConnection } from './socket-endpoint.ts'

type TakeConnection = (socket: Socket, following: Buffer) => void
type Serve = Extract<Acceptance, { kind: 'accepted' }>['serve']
type TextSocketServer = SocketServer<typeof DirectTextSocket>

interface Deps {
  /** Endpoints by path. */
  readonly endpoints: ReadonlyMap<string, SocketEndpoint>
  readonly monitor: ServerMonitor
  readonly requests: RequestBudget
  readonly requestId: (given: string | string[] | undefined) => string
}

/** Cost of opening a WebSocket, in the unit of `Method.cost`. */
const UPGRADE_COST = 20

/** Upgrades HTTP connections to WebSockets and passes them to the endpoint of their path. */
export class WebSocketListener implements Upgrades {
  readonly #options: HttpOptions
  readonly #deps: Deps
  readonly #servers: ReadonlyMap<string, TextSocketServer>
  readonly #sessions = new Map<WebSocket, SocketSession>()

  constructor(options: HttpOptions, deps: Deps) {
    this.#options = options
    this.#deps = deps
    const { limits } = options
    this.#servers = new Map(Array.from(deps.endpoints, ([path, endpoint]) => [path, serverOf(endpoint, limits)]))
  }

  /** Open WebSockets. */
  get size(): number {
    return this.#sessions.size
  }

  /** Stops reading. Resolves when all requests that were read are answered. */
  async finish(): Promise<void> {
    for (const server of this.#servers.values()) server.close()
    await Promise.all(Array.from(this.#sessions.values(), (session) => session.finish()))
  }

  /** Sends a close frame to all clients. */
  close(): void {
    for (const session of this.#sessions.values()) session.goAway()
  }

  /** Terminates the remaining sockets. */
  terminate(): void {
    for (const socket of this.#sessions.keys()) socket.terminate()
  }

  open(request: RequestHead, { address, charge, access }: HttpPeer): HttpResponse | TakeConnection {
    const id = this.#deps.requestId(request.header('x-request-id'))
    const acceptance = this.#accept(request, { address, charge, access })
    if (acceptance.kind === 'refused') {
      this.#deps.monitor.rejected(acceptance.refusal.status)
      return { headers: {}, body: '', ...acceptance.refusal, id, isLast: true }
    }
    const { target } = request
    const headers = Object.fromEntries(request.headers)
    const traceparent = request.header('traceparent')
    const client = { id, charge, address, hasOutsideAccess: access.hasOutsideAccess, traceparent }
    return (socket, following) => {
      socket.on('error', () => socket.destroy())
      if (acceptance.kind === 'transferred') acceptance.handOver({ target, headers, socket, following, client })
      else this.#upgrade({ target, headers, socket, following, client }, acceptance.serve)
    }
  }

  #upgrade({ target, headers, socket: stream, following, client }: UpgradingConnection, serve: Serve): void {
    const server = this.#servers.get(pathOf(target))!
    // `ws` reads the headers in this step, unless the handshake fails.
    const addId = (lines: string[]) => lines.push(`X-Request-Id: ${client.id}`)
    server.once('headers', addId)
    server.handleUpgrade(handshakeRequest(target, headers), stream, following, (socket) => {
      socket.writeDirectlyTo(stream)
      meterMessages(socket, this.#options.limits, { stream, requests: this.#deps.requests })
      const session = serve({ socket, stream, client })
      this.#sessions.set(socket, session)
      socket.on('close', () => this.#sessions.delete(socket))
    })
    server.off('headers', addId)
  }

  /** Clients that are not allowed must learn nothing about endpoints. */
  #accept({ target, header }: RequestHead, { address, charge, access }: ResolvedClient): Acceptance {
    const { allowedHosts } = this.#options
    const { socketOrigins, pages, hasOutsideAccess } = access
    const endpoint = this.#deps.endpoints.get(pathOf(target))
    const origin = header('origin')
    const isOwnPage = pages.size > 0 && isSameOrigin(origin, header('host'))
    // The host check protects from DNS rebinding by web pages; the browser sets the origin.
    const isAllowed = endpoint?.isForProgramsOnly
      ? origin === undefined
      : isAllowedHost(header('host'), allowedHosts) && (isOwnPage || isAllowedOrigin(origin, socketOrigins))
    if (!isAllowed) return refused({ status: 403 })
    if (endpoint === undefined || (hasOutsideAccess && endpoint.isForLoopback)) return refused({ status: 404 })
    const acceptance = endpoint.accept({ target, header, address })
    if (acceptance.kind === 'refused') return acceptance
    const wait = charge(UPGRADE_COST)
    if (wait === 0) return acceptance
    return refused({ status: 429, headers: { 'retry-after': String(Math.ceil(wait / 1000)) } })
  }
}

function pathOf(target: string): string {
  return target.split('?', 1)[0]!
}

function refused(refusal: Refusal): Acceptance {
  return { kind: 'refused', refusal }
}

/** No compression per socket: messages are small or compressed once for all, and the sequencer shares this thread. */
function serverOf(
  { maxPayloadBytes: maxPayload }: SocketEndpoint,
  { maxFragments }: Pick<ServerLimits, 'maxFragments'>,
): TextSocketServer {
  const options = { noServer: true, clientTracking: false, perMessageDeflate: false } as const
  return new WebSocketServer({ ...options, maxPayload, maxFragments, WebSocket: DirectTextSocket })
}
