import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { type SocketEndpoint, type SocketSession, upgradeRefusalText } from '../websocket/socket-endpoint.ts'
import type { FromWorker } from './messages.ts'

type Upgrade = Extract<FromWorker, { kind: 'upgrade' }>

/** Milliseconds that a client has to answer that its WebSocket is closed. */
const GOODBYE = 500
/** Milliseconds that a client has to read why it is refused. */
const REFUSAL_LIMIT = 5_000

/** WebSockets of connections that a worker took and this process serves, since only it has what they are about. */
export class AdoptedSockets {
  readonly #endpoint: SocketEndpoint
  readonly #server: WebSocketServer
  readonly #sessions = new Map<WebSocket, SocketSession>()

  constructor(endpoint: SocketEndpoint) {
    this.#endpoint = endpoint
    const { maxPayload } = endpoint
    this.#server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload, perMessageDeflate: false })
  }

  /** @param handle the connection; none where it ended on its way here */
  take({ url, headers, head, id, address }: Upgrade, handle: unknown): void {
    if (!(handle instanceof Socket)) return
    handle.on('error', () => handle.destroy())
    const request = Object.assign(new IncomingMessage(handle), { method: 'GET', url, headers })
    const acceptance = this.#endpoint.accept(request)
    if (acceptance.kind !== 'accepted') {
      if (acceptance.kind === 'refused') refuse(handle, upgradeRefusalText(acceptance.refusal))
      else handle.destroy()
      return
    }
    this.#server.handleUpgrade(request, handle, Buffer.from(head), (socket) => {
      // It was charged for where it came.
      const client = { id, address, charge: () => 0 }
      this.#sessions.set(socket, acceptance.serve({ socket, stream: handle, client }))
      socket.on('close', () => this.#sessions.delete(socket))
    })
  }

  /** Tells all clients that the node goes away, and ends those that do not go. */
  close(): void {
    for (const session of this.#sessions.values()) session.goAway()
    setTimeout(() => {
      for (const socket of this.#sessions.keys()) socket.terminate()
    }, GOODBYE).unref()
  }
}

/** No server counts these connections, and a client may never end its side of one. */
function refuse(handle: Socket, text: string): void {
  handle.setTimeout(REFUSAL_LIMIT, () => handle.destroy())
  handle.once('finish', () => handle.destroy())
  handle.end(text)
}
