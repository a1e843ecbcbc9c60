import { createHash, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { RecordStream } from '../../replication/record-stream.ts'
import type { ServerLog } from '../http/exchange.ts'
import type { ServerMonitor } from '../transport/monitor.ts'
import type { Acceptance, SocketEndpoint, UpgradeRequest } from '../websocket/socket-endpoint.ts'
import { ServedReplica, type ServedReplicaLimits } from './served-replica.ts'

export interface ReplicaListenerOptions extends ServedReplicaLimits {
  /** Token that replicas present as `Authorization: Bearer …`. Absent: none is required. */
  readonly token: string | undefined
  readonly maxReplicas: number
  /** Maximum bytes of one message of a replica, which carries transactions. */
  readonly maxBodyBytes: number
  /** Maximum number of replicas that restore a snapshot at once: each pins database pages. */
  readonly maxSnapshots: number
}

export interface ReplicaListenerDeps {
  readonly stream: RecordStream
  readonly log: ServerLog
  readonly monitor: ServerMonitor
}

/** The replica stream on the node's port, at `/replica`. */
export class ReplicaListener implements SocketEndpoint {
  readonly maxPayloadBytes: number
  readonly isForProgramsOnly = true
  readonly isForLoopback: boolean
  readonly #options: ReplicaListenerOptions
  readonly #deps: ReplicaListenerDeps
  /** By number. */
  readonly #served = new Map<number, ServedReplica>()

  constructor(options: ReplicaListenerOptions, deps: ReplicaListenerDeps) {
    this.maxPayloadBytes = options.maxBodyBytes
    this.isForLoopback = options.token === undefined
    this.#options = options
    this.#deps = deps
  }

  /** Number of connected replicas. */
  get size(): number {
    return this.#served.size
  }

  /** Records that each connected replica has not been sent, by its number. */
  get lags(): readonly (readonly [replica: string, records: number])[] {
    return [...this.#served]
      .sort(([a], [b]) => a - b)
      .flatMap(([number, { lagRecords }]) => (lagRecords === undefined ? [] : [[String(number), lagRecords] as const]))
  }

  accept({ header }: UpgradeRequest): Acceptance {
    const { token, maxReplicas } = this.#options
    if (token !== undefined && !isSame(header('authorization') ?? '', `Bearer ${token}`)) {
      return { kind: 'refused', refusal: { status: 403 } }
    }
    // Up to twice the limit may connect: those above the limit are rejected with BUSY.
    if (this.#served.size >= 2 * maxReplicas) {
      return { kind: 'refused', refusal: { status: 503 } }
    }
    return { kind: 'accepted', serve: ({ socket, stream }) => this.#serve(socket, stream) }
  }

  #serve(socket: WebSocket, connection: Socket): ServedReplica {
    const { maxReplicas, maxSnapshots } = this.#options
    const served = new ServedReplica(this.#options, {
      ...this.#deps,
      socket,
      connection,
      hasRoom: () => this.#served.size <= maxReplicas,
      hasSnapshotRoom: () =>
        Array.from(this.#served.values()).filter(({ isCopying }) => isCopying).length < maxSnapshots,
    })
    const number = this.#freeNumber()
    this.#served.set(number, served)
    socket.on('close', () => this.#served.delete(number))
    return served
  }

  /** Numbers are used again, so that a replica that reconnects adds no label to the metrics. */
  #freeNumber(): number {
    let number = 1
    while (this.#served.has(number)) number += 1
    return number
  }
}

/** In constant time, so that the duration does not reveal how much of the token matches. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
