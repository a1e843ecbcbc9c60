import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { isAllowedHost, isAllowedOrigin } from './host-guard.ts'
import type { HttpOptions, ServerLog } from './http.ts'
import type { ServerLimits } from './limits.ts'

/** JSON-RPC as WebSockets need it. */
export interface SocketRpc {
  connect(send: (text: string) => void): { receive(text: string): Promise<void>; close(): void }
}

interface Parts {
  readonly server: Server
  readonly rpc: SocketRpc
  readonly log: ServerLog
}

/** "Try again later": too slow, or one too many. */
const TRY_AGAIN_LATER = 1013
const GOING_AWAY = 1001

/** JSON-RPC over WebSocket on the HTTP server's port, at `/`. */
export class WebSocketListener {
  readonly #options: HttpOptions
  readonly #parts: Parts
  readonly #server: WebSocketServer

  constructor(options: HttpOptions, parts: Parts) {
    this.#options = options
    this.#parts = parts
    // Messages are small and the sequencer shares this thread: compression costs more than it saves.
    const maxPayload = options.limits.maxBodyBytes
    this.#server = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false })
    this.#server.on('connection', (socket) => this.#serve(socket))
    parts.server.on('upgrade', (request, stream, head) => this.#upgrade(request, stream, head))
  }

  /** Tells all clients that the node goes away. */
  close(): void {
    for (const socket of this.#server.clients) socket.close(GOING_AWAY, 'the node is shutting down')
    this.#server.close()
  }

  /** Ends those that did not go. */
  terminate(): void {
    for (const socket of this.#server.clients) socket.terminate()
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
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
    const { limits } = this.#options
    const connection = this.#parts.rpc.connect((text) => sendBounded(socket, text, limits))
    const stopPinging = keepAlive(socket, limits.pingInterval)
    let inFlight = 0
    socket.on('message', (data: RawData) => {
      if (++inFlight >= limits.maxInFlight) socket.pause()
      connection
        .receive(data.toString())
        .catch((error: unknown) => this.#parts.log.error({ err: error }, 'a WebSocket request failed unexpectedly'))
        .finally(() => {
          if (--inFlight < limits.maxInFlight && socket.isPaused) socket.resume()
        })
    })
    // `ws` closes the socket after an error (bad frame, message too large) with the code that says why.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      stopPinging()
      connection.close()
    })
  }
}

/** A client that does not read must not fill the node's memory. */
function sendBounded(socket: WebSocket, text: string, { maxQueuedBytes }: ServerLimits): void {
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > maxQueuedBytes) {
    // Nothing more is sent once it is closing, and `ws` ends it if it does not even take the close frame.
    socket.close(TRY_AGAIN_LATER, 'too slow: messages were not read')
    return
  }
  socket.send(text)
}

/** @returns what ends it */
function keepAlive(socket: WebSocket, interval: number): () => void {
  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, interval)
  return () => clearInterval(timer)
}
