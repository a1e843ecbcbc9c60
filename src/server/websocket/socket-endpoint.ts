import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { ConnectedClient } from '../../rpc/create-rpc.ts'
import type { HttpRequest, ServerLog } from '../http/exchange.ts'
import type { CoalescedWrites } from '../transport/coalesced-writes.ts'
import type { ServerLimits } from '../transport/limits.ts'
import type { ServerMonitor } from '../transport/monitor.ts'
import type { RequestBudget } from '../transport/request-budget.ts'
import { requestedState } from '../transport/requested-state.ts'
import type { ResponseBudget } from '../transport/response-budget.ts'
import type { HttpStatus } from '../transport/statuses.ts'
import { ServedSocket, type SocketRpc } from './served-socket.ts'

/** Response to a refused upgrade. */
export interface Refusal {
  readonly status: HttpStatus
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: string
}

/** Request for a WebSocket. */
export interface UpgradeRequest extends Pick<HttpRequest, 'target' | 'header'> {
  /** Address of the client; '' when it has disconnected. */
  readonly address: string
}

/** A WebSocket session, for shutdown. */
export interface SocketSession {
  /** Stops reading. Resolves when all requests that were read are answered. */
  finish(): Promise<void>
  /** Sends a close frame. */
  goAway(): void
}

/** An open WebSocket. */
export interface SocketConnection {
  readonly socket: WebSocket
  /** The underlying connection. */
  readonly stream: Socket
  readonly client: ConnectedClient
}

/** A connection before its upgrade. */
export interface UpgradingConnection {
  /** Path and query. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly socket: Socket
  /** Bytes received after the request. */
  readonly following: Buffer
  readonly client: ConnectedClient
}

export type Acceptance =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'accepted'; readonly serve: (connection: SocketConnection) => SocketSession }
  /** Another process upgrades the connection. */
  | { readonly kind: 'transferred'; readonly handOver: (connection: UpgradingConnection) => void }

/** Serves the WebSockets of one path. */
export interface SocketEndpoint {
  /** Maximum bytes of a message of a client. */
  readonly maxPayloadBytes: number
  /** Refuses requests of web pages of any origin; the `Host` header is not checked. */
  readonly isForProgramsOnly?: boolean
  /** Whether it does not exist for clients beyond loopback. */
  readonly isForLoopback?: boolean
  /** Admits or refuses a client that passed the general checks. */
  accept(request: UpgradeRequest): Acceptance
}

export interface EndpointDeps {
  readonly log: ServerLog
  readonly monitor: ServerMonitor
  readonly budget: ResponseBudget
}

interface RpcEndpointDeps extends EndpointDeps {
  readonly rpc: SocketRpc
  readonly writes: CoalescedWrites
  readonly requests: RequestBudget
}

/** JSON-RPC over WebSocket. */
export class RpcEndpoint implements SocketEndpoint {
  readonly maxPayloadBytes: number
  readonly #limits: ServerLimits
  readonly #deps: RpcEndpointDeps
  #open = 0

  constructor(limits: ServerLimits, deps: RpcEndpointDeps) {
    this.#limits = limits
    this.#deps = deps
    this.maxPayloadBytes = limits.maxBodyBytes
  }

  accept({ target }: Pick<UpgradeRequest, 'target'>): Acceptance {
    const requested = requestedState(target)
    if (requested.kind === 'invalid') return refused(400, requested.message)
    if (this.#open >= this.#limits.maxSockets) {
      return refused(503, 'as many WebSockets are open as --max-sockets allows: close some, or try again later')
    }
    const { latestState } = requested
    return {
      kind: 'accepted',
      serve: (connection) => this.#serve({ ...connection, client: { ...connection.client, latestState } }),
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

function refused(status: HttpStatus, error: string): Acceptance {
  const headers = { 'content-type': 'application/json' }
  return { kind: 'refused', refusal: { status, headers, body: JSON.stringify({ error }) } }
}
