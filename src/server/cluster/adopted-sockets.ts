import { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { responseBytes, responseHead } from '../http/response-bytes.ts'
import type { ServerLimits } from '../transport/limits.ts'
import { RequestBudget } from '../transport/request-budget.ts'
import { type TextSocketServer, textSocketServer } from '../websocket/direct-text-socket.ts'
import { handshakeRequest } from '../websocket/handshake-request.ts'
import { meterMessages } from '../websocket/metered-messages.ts'
import type { Refusal, SocketEndpoint, SocketSession } from '../websocket/socket-endpoint.ts'
import type { FromWorker } from './messages.ts'

type Upgrade = Extract<FromWorker, { kind: 'upgrade' }>

/** Milliseconds that a client has to return the close frame. */
const CLOSE_TIMEOUT_MS = 500
/** Milliseconds that a client has to read the refusal. */
const REFUSAL_LIMIT_MS = 5_000
/** Milliseconds between checks of incomplete messages. */
const CHECK_INTERVAL_MS = 1_000

type Options = Pick<ServerLimits, 'maxIncomingBytes' | 'maxFragments' | 'requestTimeoutMs'>

/** Serves WebSockets at the paths of this process whose connections a worker accepted. */
export class AdoptedSockets {
  readonly #options: Options
  readonly #endpoint: SocketEndpoint
  readonly #server: TextSocketServer
  readonly #sessions = new Map<WebSocket, SocketSession>()
  readonly #requests: RequestBudget
  readonly #timer: NodeJS.Timeout

  constructor(options: Options, { endpoint }: { readonly endpoint: SocketEndpoint }) {
    this.#options = options
    this.#endpoint = endpoint
    this.#server = textSocketServer(endpoint, options)
    this.#requests = new RequestBudget(
      { limit: options.maxIncomingBytes },
      { connections: () => this.#sessions.size, nextRound: setImmediate },
    )
    this.#timer = setInterval(() => this.#requests.check(), CHECK_INTERVAL_MS).unref()
  }

  /** Bytes of incomplete messages. */
  get incomingBytes(): number {
    return this.#requests.used
  }

  /** @param handle the connection; not a socket when it closed in transit */
  take({ target, headers, following, id, address }: Upgrade, handle: unknown): void {
    if (!(handle instanceof Socket)) return
    handle.on('error', () => handle.destroy())
    const acceptance = this.#endpoint.accept({ target, header: (name) => headers[name], address })
    if (acceptance.kind !== 'accepted') {
      if (acceptance.kind === 'refused') refuse(handle, acceptance.refusal)
      else handle.destroy()
      return
    }
    this.#server.handleUpgrade(handshakeRequest(target, headers), handle, Buffer.from(following), (socket) => {
      meterMessages(socket, this.#options, { stream: handle, requests: this.#requests })
      // The worker has charged the client.
      const client = { id, address, charge: () => 0 }
      this.#sessions.set(socket, acceptance.serve({ socket, stream: handle, client }))
      socket.on('close', () => this.#sessions.delete(socket))
    })
  }

  /** Sends a close frame to all clients, and terminates those that do not return it. */
  close(): void {
    clearInterval(this.#timer)
    for (const session of this.#sessions.values()) session.goAway()
    setTimeout(() => {
      for (const socket of this.#sessions.keys()) socket.terminate()
    }, CLOSE_TIMEOUT_MS).unref()
  }
}

/** No server times these connections out, and a client may never close its side. */
function refuse(handle: Socket, { status, headers = {}, body = '' }: Refusal): void {
  handle.setTimeout(REFUSAL_LIMIT_MS, () => handle.destroy())
  handle.once('finish', () => handle.destroy())
  const bytes = Buffer.byteLength(body)
  handle.end(responseBytes(responseHead({ status, headers, body }, bytes, true), body, bytes))
}
