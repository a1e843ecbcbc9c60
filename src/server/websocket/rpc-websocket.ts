import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Server as SocketServer, type WebSocket, WebSocketServer } from 'ws'
import { isAllowedHost, isAllowedOrigin } from '../host-guard.ts'
import type { HttpOptions } from '../http/http-service.ts'
import { toOriginForm } from '../http/node-http.ts'
import type { ResponsesInFlight } from '../http/responses-in-flight.ts'
import { replayWithoutUpgrade, wantsWebSocket } from '../http/without-upgrade.ts'
import type { ServerMonitor } from '../monitor.ts'
import type { ChargeCost } from '../rate-limiter.ts'
import { DirectTextSocket } from './direct-text-socket.ts'
import {
  type Acceptance,
  type Refusal,
  type SocketEndpoint,
  type SocketSession,
  upgradeRefusalText,
} from './socket-endpoint.ts'

type TextSocketServer = SocketServer<typeof DirectTextSocket>

interface Deps {
  readonly server: Server
  /** Endpoints by path. */
  readonly endpoints: ReadonlyMap<string, SocketEndpoint>
  /** Responses in flight of Node's server. */
  readonly responses: Pick<ResponsesInFlight, 'areOn'>
  readonly monitor: ServerMonitor
  /** Charges the rate limit of an address. */
  readonly chargeOf: (address: string | undefined) => ChargeCost
  readonly requestId: (given: string | string[] | undefined) => string
}

/** Cost of opening a WebSocket, in the unit of `Method.cost`. */
const UPGRADE_COST = 20

/** Upgrades connections of the HTTP server to WebSockets and passes them to the endpoint of their path. */
export class WebSocketListener {
  readonly #options: HttpOptions
  readonly #deps: Deps
  readonly #servers: ReadonlyMap<string, TextSocketServer>
  readonly #sessions = new Map<WebSocket, SocketSession>()

  constructor(options: HttpOptions, deps: Deps) {
    this.#options = options
    this.#deps = deps
    this.#servers = new Map(Array.from(deps.endpoints, ([path, endpoint]) => [path, serverOf(endpoint)]))
    deps.server.on('upgrade', (request, stream, head) => this.#upgrade(request, stream, head))
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

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (this.#deps.responses.areOn(stream)) {
      // Node detaches the connection at once: a response written now would be taken for that of an earlier request.
      stream.destroy()
      return
    }
    if (!wantsWebSocket(request)) {
      replayWithoutUpgrade(request, stream, head)
      this.#deps.server.emit('connection', stream)
      return
    }
    toOriginForm(request)
    stream.on('error', () => stream.destroy())
    const charge = this.#deps.chargeOf(request.socket.remoteAddress)
    const acceptance = this.#accept(request, charge)
    if (acceptance.kind === 'refused') {
      this.#deps.monitor.rejected(acceptance.refusal.status)
      // Node does not time out detached connections, and the client may never close.
      request.socket.setTimeout(this.#options.limits.writeTimeout, () => stream.destroy())
      stream.once('finish', () => stream.destroy())
      stream.end(upgradeRefusalText(acceptance.refusal))
      return
    }
    const id = this.#deps.requestId(request.headers['x-request-id'])
    const client = { id, charge, address: request.socket.remoteAddress ?? '' }
    if (acceptance.kind === 'transferred') {
      acceptance.handOver({ request, stream, head, client })
      return
    }
    const server = this.#servers.get(pathOf(request))!
    // `ws` reads the headers in this step, unless the handshake fails.
    const addId = (headers: string[]) => headers.push(`X-Request-Id: ${id}`)
    server.once('headers', addId)
    server.handleUpgrade(request, stream, head, (socket) => {
      socket.writeDirectlyTo(stream)
      const session = acceptance.serve({ socket, stream, client })
      this.#sessions.set(socket, session)
      socket.on('close', () => this.#sessions.delete(socket))
    })
    server.off('headers', addId)
  }

  /** Clients that are not allowed learn nothing about endpoints. */
  #accept(request: IncomingMessage, charge: ChargeCost): Acceptance {
    const { allowedHosts, socketOrigins } = this.#options
    const { host, origin } = request.headers
    const endpoint = this.#deps.endpoints.get(pathOf(request))
    // The host check protects from DNS rebinding by web pages; browsers send the origin.
    const isAllowed = endpoint?.isForProgramsOnly
      ? origin === undefined
      : isAllowedHost(host, allowedHosts) && isAllowedOrigin(origin, socketOrigins)
    if (!isAllowed) return refused({ status: 403, text: 'Forbidden' })
    if (endpoint === undefined) return refused({ status: 404, text: 'Not Found' })
    const acceptance = endpoint.accept(request)
    if (acceptance.kind === 'refused') return acceptance
    const wait = charge(UPGRADE_COST)
    if (wait === 0) return acceptance
    const headers = `Retry-After: ${Math.ceil(wait / 1000)}\r\n`
    return refused({ status: 429, text: 'Too Many Requests', headers })
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0]!
}

function refused(refusal: Refusal): Acceptance {
  return { kind: 'refused', refusal }
}

/** No compression per socket: messages are small or compressed once for all, and the sequencer shares this thread. */
function serverOf({ maxPayload }: SocketEndpoint): TextSocketServer {
  const options = { noServer: true, clientTracking: false, perMessageDeflate: false } as const
  return new WebSocketServer({ ...options, maxPayload, WebSocket: DirectTextSocket })
}
