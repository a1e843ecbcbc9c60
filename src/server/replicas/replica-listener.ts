import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import type { RecordStream } from '../../node/replica/record-stream.ts'
import type { ServerLog } from '../http/http-service.ts'
import type { ServerMonitor } from '../monitor.ts'
import type { SocketService } from '../ws.ts'
import { ServedReplica, type ServedReplicaLimits } from './served-replica.ts'

export interface ReplicaListenerOptions extends ServedReplicaLimits {
  /** What replicas have to show (`Authorization: Bearer …`); absent: nothing. */
  readonly token: string | undefined
  readonly maxReplicas: number
  /** Of those, the ones that take over a snapshot: each holds back pages of the database. */
  readonly maxSnapshots: number
}

export interface ReplicaListenerParts {
  readonly stream: RecordStream
  readonly log: ServerLog
  readonly monitor: ServerMonitor
}

/** The replica stream on the node's port, at `/replica`. */
export class ReplicaListener implements SocketService {
  readonly #options: ReplicaListenerOptions
  readonly #parts: ReplicaListenerParts
  readonly #served = new Set<ServedReplica>()

  constructor(options: ReplicaListenerOptions, parts: ReplicaListenerParts) {
    this.#options = options
    this.#parts = parts
  }

  /** Connected ones. */
  get size(): number {
    return this.#served.size
  }

  /** No page in a browser follows a chain, so the name by which we were reached does not matter; the token does. */
  allows({ headers }: IncomingMessage): boolean {
    const { token } = this.#options
    if (headers.origin !== undefined) return false
    return token === undefined || isSame(headers.authorization ?? '', `Bearer ${token}`)
  }

  serve(socket: WebSocket): void {
    const { maxReplicas, maxSnapshots } = this.#options
    const served = new ServedReplica(this.#options, {
      ...this.#parts,
      socket,
      hasRoom: () => this.#served.size <= maxReplicas,
      hasSnapshotRoom: () => Array.from(this.#served).filter(({ isCopying }) => isCopying).length < maxSnapshots,
    })
    this.#served.add(served)
    socket.on('close', () => this.#served.delete(served))
  }

  close(): void {
    for (const served of this.#served) served.goAway()
  }
}

/** In a time that does not tell how much of it is right. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
