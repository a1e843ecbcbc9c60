import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ConnectedClient } from '../rpc/create-rpc.ts'
import type { AnswerBudget } from './answer-budget.ts'
import { isAllowedHost, isAllowedOrigin } from './host-guard.ts'
import type { HttpOptions, ServerLog } from './http/http-service.ts'
import { putBackWithoutUpgrade, wantsWebSocket } from './http/without-upgrade.ts'
import type { ServerMonitor } from './monitor.ts'
import type { Charge } from './rate-limiter.ts'
import { ServedSocket, type SocketRpc } from './served-socket.ts'
import type { HttpStatus } from './statuses.ts'

interface Parts {
  readonly server: Server
  readonly rpc: SocketRpc
  readonly log: ServerLog
  readonly monitor: ServerMonitor
  readonly budget: AnswerBudget
  /** What an address' requests are taken from. */
  readonly chargeOf: (address: string | undefined) => Charge
  readonly requestId: (given: string | string[] | undefined) => string
}

interface Refusal {
  readonly status: HttpStatus
  readonly text: string
  readonly headers?: string
}

/** Cost of opening a WebSocket, in the unit of `Method.cost`. */
const UPGRADE_COST = 20

/** JSON-RPC over WebSocket on the HTTP server's port, at `/`. */
export class WebSocketListener {
  readonly #options: HttpOptions
  readonly #parts: Parts
  readonly #server: WebSocketServer
  readonly #served = new Set<ServedSocket>()

  constructor(options: HttpOptions, parts: Parts) {
    this.#options = options
    this.#parts = parts
    // Messages are small and the sequencer shares this thread: compression costs more than it saves.
    const maxPayload = options.limits.maxBodyBytes
    this.#server = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false })
    parts.server.on('upgrade', (request, stream, head) => this.#upgrade(request, stream, head))
  }

  /** Open ones. */
  get size(): number {
    return this.#server.clients.size
  }

  /** Reads no more from any client. Resolves when what was read is answered. */
  async finish(): Promise<void> {
    this.#server.close()
    await Promise.all(Array.from(this.#served, (socket) => socket.finish()))
  }

  /** Tells all clients that the node goes away. */
  close(): void {
    for (const socket of this.#served) socket.goAway()
  }

  /** Ends those that did not go. */
  terminate(): void {
    for (const socket of this.#server.clients) socket.terminate()
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (!wantsWebSocket(request)) {
      putBackWithoutUpgrade(request, stream, head)
      this.#parts.server.emit('connection', stream)
      return
    }
    stream.on('error', () => stream.destroy())
    const { chargeOf, monitor } = this.#parts
    const charge = chargeOf(request.socket.remoteAddress)
    const refusal = this.#refusal(request, charge)
    if (refusal !== undefined) {
      monitor.rejected(refusal.status)
      const line = `HTTP/1.1 ${refusal.status} ${refusal.text}\r\n${refusal.headers ?? ''}`
      stream.end(`${line}Connection: close\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    const id = this.#parts.requestId(request.headers['x-request-id'])
    // Read by `ws` before it hands out the socket.
    this.#server.once('headers', (headers) => headers.push(`X-Request-Id: ${id}`))
    this.#server.handleUpgrade(request, stream, head, (socket) =>
      this.#serve(socket, { id, charge, address: request.socket.remoteAddress ?? '' }),
    )
  }

  #refusal({ headers, url }: IncomingMessage, charge: Charge): Refusal | undefined {
    const { allowedHosts, socketOrigins, limits } = this.#options
    const isAllowed = isAllowedHost(headers.host, allowedHosts) && isAllowedOrigin(headers.origin, socketOrigins)
    if (!isAllowed) return { status: 403, text: 'Forbidden' }
    if ((url ?? '/').split('?', 1)[0] !== '/') return { status: 404, text: 'Not Found' }
    if (this.#server.clients.size >= limits.maxSockets) return { status: 503, text: 'Service Unavailable' }
    const wait = charge(UPGRADE_COST)
    if (wait === 0) return undefined
    return { status: 429, text: 'Too Many Requests', headers: `Retry-After: ${Math.ceil(wait / 1000)}\r\n` }
  }

  #serve(socket: WebSocket, client: ConnectedClient): void {
    const served = new ServedSocket(this.#options.limits, {
      ...this.#parts,
      socket,
      client,
      openSockets: () => this.size,
    })
    this.#served.add(served)
    socket.on('close', () => this.#served.delete(served))
  }
}
