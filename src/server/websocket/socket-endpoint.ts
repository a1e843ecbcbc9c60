import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { ConnectedClient } from '../../rpc/create-rpc.ts'
import type { CoalescedWrites } from '../coalesced-writes.ts'
import type { ServerLog } from '../http/http-service.ts'
import type { ServerLimits } from '../limits.ts'
import type { ServerMonitor } from '../monitor.ts'
import type { ResponseBudget } from '../response-budget.ts'
import type { HttpStatus } from '../statuses.ts'
import type { Corkable } from './outgoing-socket.ts'
import { ServedSocket, type SocketRpc } from './served-socket.ts'

/** Why no WebSocket is opened. */
export interface Refusal {
  readonly status: HttpStatus
  /** What the status line says. */
  readonly text: string
  /** Lines, each with its end. */
  readonly headers?: string
  /** JSON. */
  readonly body?: string
}

/** A client's WebSocket, as the server ends it. */
export interface SocketSession {
  /** Reads no more. Resolves when what was read is answered. */
  finish(): Promise<void>
  /** Tells the client that the node goes away. */
  goAway(): void
}

/** A WebSocket that was opened. */
export interface SocketConnection {
  readonly socket: WebSocket
  /** What is under it. */
  readonly stream: Corkable
  readonly client: ConnectedClient
}

/** A connection whose client wants a WebSocket, before it is one. */
export interface UpgradingConnection {
  readonly request: IncomingMessage
  readonly stream: Duplex
  /** What came after the request. */
  readonly head: Buffer
  readonly client: ConnectedClient
}

export type Acceptance =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'accepted'; readonly serve: (connection: SocketConnection) => SocketSession }
  /** Another process makes it a WebSocket. */
  | { readonly kind: 'transferred'; readonly handOver: (connection: UpgradingConnection) => void }

/** What is said on a connection that becomes no WebSocket. */
export function upgradeRefusalText({ status, text, headers = '', body = '' }: Refusal): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return `HTTP/1.1 ${status} ${text}\r\n${headers}Connection: close\r\n${length}\r\n${body}`
}

/** What those are served who open a WebSocket at one path. */
export interface SocketEndpoint {
  /** Bytes of a message that a client sends. */
  readonly maxPayload: number
  /** Only programs come here, and no web page whatever its origin; by which name they reach us is theirs to choose. */
  readonly isForProgramsOnly?: boolean
  /** Whether one more is taken, of those who may ask in general. */
  accept(request: IncomingMessage): Acceptance
}

export interface EndpointDeps {
  readonly log: ServerLog
  readonly monitor: ServerMonitor
  readonly budget: ResponseBudget
}

interface RpcEndpointDeps extends EndpointDeps {
  readonly rpc: SocketRpc
  readonly writes: CoalescedWrites
}

/** JSON-RPC over WebSocket. */
export class RpcEndpoint implements SocketEndpoint {
  readonly maxPayload: number
  readonly #limits: ServerLimits
  readonly #deps: RpcEndpointDeps
  #open = 0

  constructor(limits: ServerLimits, deps: RpcEndpointDeps) {
    this.#limits = limits
    this.#deps = deps
    this.maxPayload = limits.maxBodyBytes
  }

  accept(): Acceptance {
    if (this.#open < this.#limits.maxSockets)
      return { kind: 'accepted', serve: (connection) => this.#serve(connection) }
    return {
      kind: 'refused',
      refusal: {
        status: 503,
        text: 'Service Unavailable',
        headers: 'Content-Type: application/json\r\n',
        body: JSON.stringify({
          error: 'as many WebSockets are open as --max-sockets allows: close some, or try again later',
        }),
      },
    }
  }

  #serve(connection: SocketConnection): SocketSession {
    this.#open += 1
    connection.socket.on('close', () => {
      this.#open -= 1
    })
    const openSockets = () => this.#open
    return new ServedSocket(this.#limits, { ...this.#deps, ...connection, openSockets })
  }
}
