import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { AnswerBudget } from './answer-budget.ts'
import { isAllowedHost, isAllowedOrigin } from './host-guard.ts'
import type { HttpOptions, ServerLog } from './http.ts'
import { serveWithoutUpgrade, wantsWebSocket } from './plain-upgrade.ts'
import { ServedSocket, type SocketRpc } from './served-socket.ts'

interface Parts {
  readonly server: Server
  readonly rpc: SocketRpc
  readonly log: ServerLog
  readonly budget: AnswerBudget
}

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
    this.#server.on('connection', (socket) => this.#serve(socket))
    parts.server.on('upgrade', (request, stream, head) => this.#upgrade(request, stream, head))
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
      serveWithoutUpgrade(this.#parts.server, request, stream, head)
      return
    }
    stream.on('error', () => stream.destroy())
    const refusal = this.#refusal(request)
    if (refusal === undefined) {
      this.#server.handleUpgrade(request, stream, head, (socket) => this.#server.emit('connection', socket, request))
    } else {
      stream.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    }
  }

  #refusal({ headers, url }: IncomingMessage): string | undefined {
    const { allowedHosts, allowedOrigins, limits } = this.#options
    if (!isAllowedHost(headers.host, allowedHosts)) return '403 Forbidden'
    if (!isAllowedOrigin(headers.origin, allowedOrigins)) return '403 Forbidden'
    if ((url ?? '/').split('?', 1)[0] !== '/') return '404 Not Found'
    return this.#server.clients.size >= limits.maxSockets ? '503 Service Unavailable' : undefined
  }

  #serve(socket: WebSocket): void {
    const served = new ServedSocket(this.#options.limits, { ...this.#parts, socket })
    this.#served.add(served)
    socket.on('close', () => this.#served.delete(served))
  }
}
