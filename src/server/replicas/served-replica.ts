import type { Socket } from 'node:net'
import type { RawData, WebSocket } from 'ws'
import { type LeaderRequest, SourceError, type SourceErrorCode } from '../../node/log/record-source.ts'
import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import {
  decodeToServer,
  encodePart,
  encodeRecords,
  encodeSnapshotEnd,
  encodeText,
  STREAM_VERSION,
  type ToReplica,
  type ToServer,
} from '../../replication/messages.ts'
import type { ConnectedReplica, RecordStream, StreamGreeted } from '../../replication/record-stream.ts'
import { StorageError } from '../../storage/storage-error.ts'
import type { ServerLog } from '../http/exchange.ts'
import type { ServerMonitor } from '../transport/monitor.ts'
import type { CloseCode } from '../transport/statuses.ts'
import type { SocketSession } from '../websocket/socket-endpoint.ts'

const GOING_AWAY = 1001 satisfies CloseCode
/** "Policy violation" (RFC 6455): the node refuses the replica; the text gives the reason. */
const REFUSED = 1008 satisfies CloseCode
const TRY_AGAIN_LATER = 1013 satisfies CloseCode
/** Maximum bytes of records in one message while a replica catches up. */
const MESSAGE_BYTES = 512 * 1024
/** Timeout for the hello of a replica. */
const HELLO_TIMEOUT_MS = 10_000
/** Maximum number of unanswered transactions and requests of one replica. */
export const MAX_SUBMITTING = 256
/**
 * Unanswered pings after which a replica counts as disconnected, so that it frees its slot. A replica that reads just
 * fast enough receives a ping behind all buffered data only after the second one was sent.
 */
const MAX_UNANSWERED = 4

export interface ServedReplicaLimits {
  /** Bytes that may be queued for one replica. Above this limit, records wait until the replica has read. */
  readonly maxQueuedBytes: number
  /** Milliseconds that a replica may leave all data unread before it is disconnected; also the ping interval. */
  readonly writeTimeoutMs: number
  /** Milliseconds for which database pages and records are retained for a replica that has not caught up yet. */
  readonly catchUpTimeoutMs: number
  /** Milliseconds between messages with the newest sequence number. */
  readonly newestIntervalMs: number
}

interface Parts {
  readonly socket: WebSocket
  /** The connection of the socket. */
  readonly connection: Socket
  readonly stream: RecordStream
  readonly log: ServerLog
  readonly monitor: ServerMonitor
  /** Whether the limit of replicas is not exceeded. */
  readonly hasRoom: () => boolean
  readonly hasSnapshotRoom: () => boolean
}

/** One replica that follows this node: a snapshot if it needs one, then records as they become durable. */
export class ServedReplica implements SocketSession {
  readonly #limits: ServedReplicaLimits
  readonly #deps: Parts
  #replica: ConnectedReplica | undefined
  #isCopying = false
  #submitting = 0
  #unanswered = 0
  /** The newest record that was sent. */
  #sent = 0
  #wake: () => void = () => undefined
  #catchingUp: NodeJS.Timeout | undefined

  constructor(limits: ServedReplicaLimits, parts: Parts) {
    this.#limits = limits
    this.#deps = parts
    const { socket, stream } = parts
    const stopListening = stream.onMore(() => this.#wake())
    const hello = setTimeout(() => {
      if (this.#replica === undefined) this.#refuse('MALFORMED', 'the first message of a replica must be hello')
    }, HELLO_TIMEOUT_MS)
    const newest = setInterval(() => {
      if (this.#replica === undefined) return
      const { newestSequence: sequence, isOnDemand } = stream
      this.#sendMessage({ type: 'newest', sequence, sent: this.#sent, ...(isOnDemand && { isOnDemand }) })
    }, limits.newestIntervalMs)
    const pings = setInterval(() => this.#ping(), limits.writeTimeoutMs)
    socket.on('pong', () => {
      this.#unanswered = 0
    })
    socket.on('message', (data: RawData, isBinary: boolean) => {
      // Messages in transit when the replica is refused are ignored.
      if (this.#isOpen) this.#receive(isBinary ? '' : data.toString())
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(hello)
      clearTimeout(this.#catchingUp)
      clearInterval(newest)
      clearInterval(pings)
      stopListening()
      this.#replica?.close()
      this.#wake()
    })
  }

  /** Whether the replica restores a snapshot. */
  get isCopying(): boolean {
    return this.#isCopying
  }

  /** Records that it has not been sent; `undefined` before its hello. */
  get lagRecords(): number | undefined {
    if (this.#replica === undefined) return undefined
    const sent = Math.max(this.#sent, this.#replica.handshake.begins.from - 1)
    return Math.max(0, this.#deps.stream.newestSequence - sent)
  }

  /** Nothing to await: the records with submitted transactions acknowledge them, too. */
  finish(): Promise<void> {
    return Promise.resolve()
  }

  goAway(): void {
    this.#deps.socket.close(GOING_AWAY, 'the node is shutting down')
  }

  get #isOpen(): boolean {
    const { socket } = this.#deps
    return socket.readyState === socket.OPEN
  }

  #receive(text: string): void {
    let message: ToServer
    try {
      message = decodeToServer(text)
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      this.#refuse('MALFORMED', error.message)
      return
    }
    if (message.type === 'hello') this.#handshake(message)
    else if (this.#replica === undefined) this.#refuse('MALFORMED', 'the first message of a replica must be hello')
    else if (message.type === 'submit') void this.#submit(message.id, hexToBytes(message.raw))
    else void this.#answer(message.id, message)
  }

  #handshake(hello: Extract<ToServer, { type: 'hello' }>): void {
    let greeted: StreamGreeted
    try {
      greeted = this.#admit(hello)
    } catch (error) {
      this.#fail(error)
      return
    }
    if (greeted.kind === 'refused') {
      this.#refuse(greeted.code, greeted.message)
      return
    }
    const { replica } = greeted
    this.#replica = replica
    this.#catchingUp = setTimeout(() => this.#endCatchingUp(replica), this.#limits.catchUpTimeoutMs)
    this.#sendMessage({ type: 'welcome', version: STREAM_VERSION, ...replica.handshake })
    this.#serve(replica).catch((error: unknown) => this.#fail(error))
  }

  /**
   * Bounds how long a slow replica holds LMDB pages and records. Afterwards it still gets records that exist, and is
   * disconnected at the first one that does not.
   */
  #endCatchingUp(replica: ConnectedReplica): void {
    if (this.#isCopying) this.#cutOff('too slow: the snapshot was not read in time, see --catch-up-timeout-ms')
    else replica.close()
  }

  /** Records may be deleted at any time, also between two reads. */
  #fail(error: unknown): void {
    if (error instanceof StorageError && error.code === 'RECORDS_REMOVED') {
      this.#cutOff('too slow: records that it has not read were deleted')
      return
    }
    this.#deps.log.error({ err: error }, 'a replica could not be served')
    this.#deps.socket.terminate()
  }

  #admit(hello: Extract<ToServer, { type: 'hello' }>): StreamGreeted {
    const { stream, hasRoom, hasSnapshotRoom } = this.#deps
    if (this.#replica !== undefined) return refused('MALFORMED', 'it said hello before')
    if (hello.version !== STREAM_VERSION) {
      return refused(
        'INCOMPATIBLE',
        `the stream has version ${STREAM_VERSION}, the replica requests ${hello.version}: run the same release on both`,
      )
    }
    if (!hasRoom()) return refused('BUSY', 'too many replicas follow this node: see --max-replicas')
    const greeted = stream.handshake(hello)
    if (greeted.kind === 'refused' || greeted.replica.parts === undefined || hasSnapshotRoom()) return greeted
    greeted.replica.close()
    return refused('BUSY', 'other replicas take over snapshots: try again later')
  }

  async #serve(replica: ConnectedReplica): Promise<void> {
    if (replica.parts !== undefined) await this.#copy(replica, replica.parts)
    this.#sent = replica.handshake.begins.from - 1
    while (this.#isOpen) {
      const more = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const records = replica.read(this.#sent + 1, MESSAGE_BYTES)
      if (records.length === 0) {
        await more
        continue
      }
      this.#sent = records.at(-1)!.sequence
      await this.#send(encodeRecords(records))
      await nextTurn()
    }
  }

  async #copy(replica: ConnectedReplica, parts: Iterator<Bytes>): Promise<void> {
    this.#isCopying = true
    try {
      // `close` releases the snapshot when the connection ends.
      while (this.#isOpen) {
        const part = parts.next()
        if (part.done === true) break
        await this.#send(encodePart(part.value))
        await nextTurn()
      }
      await this.#send(encodeSnapshotEnd())
    } finally {
      this.#isCopying = false
      replica.endSnapshot()
    }
  }

  /** Resolves when more may be sent. */
  async #send(message: Bytes): Promise<void> {
    if (!this.#isOpen) return
    const { socket } = this.#deps
    const sent = new Promise<void>((resolve) => socket.send(message, () => resolve()))
    if (socket.bufferedAmount <= this.#limits.maxQueuedBytes) return
    const stalled = setTimeout(() => this.#cutOff('too slow: records were not read'), this.#limits.writeTimeoutMs)
    await sent
    clearTimeout(stalled)
  }

  #submit(id: number, raw: Bytes): Promise<void> {
    return this.#respond(id, async () => {
      const result = await this.#deps.stream.submit(raw)
      const reply = result.kind === 'refused' ? result : ({ kind: 'accepted', sequence: result.sequence } as const)
      return { type: 'submitted', id, reply }
    })
  }

  #answer(id: number, { method, params }: LeaderRequest): Promise<void> {
    return this.#respond(id, async () => {
      return { type: 'answered', id, reply: await this.#deps.stream.request({ method, params }) }
    })
  }

  async #respond(id: number, respond: () => Promise<ToReplica>): Promise<void> {
    if (this.#submitting >= MAX_SUBMITTING) {
      this.#sendMessage({ type: 'unsubmitted', id, message: 'too many requests are in flight' })
      return
    }
    this.#submitting += 1
    try {
      this.#sendMessage(await respond())
    } catch (error) {
      this.#deps.log.error({ err: error }, "a replica's request could not be answered")
      this.#sendMessage({ type: 'unsubmitted', id, message: 'the sequencer failed' })
    } finally {
      this.#submitting -= 1
    }
  }

  #ping(): void {
    const { socket, monitor } = this.#deps
    if (this.#unanswered >= MAX_UNANSWERED) {
      monitor.dropped('silent')
      socket.terminate()
      return
    }
    this.#unanswered += 1
    if (this.#isOpen) socket.ping()
  }

  #sendMessage(message: ToReplica): void {
    if (this.#isOpen) this.#deps.socket.send(encodeText(message))
  }

  #refuse(code: SourceErrorCode, message: string): void {
    this.#sendMessage({ type: 'refused', code, message })
    this.#deps.socket.close(REFUSED, code)
    // The node reads nothing more from it.
    this.#deps.connection.destroySoon()
  }

  /** The replica reconnects with its cursor. */
  #cutOff(reason: string): void {
    const { socket, monitor } = this.#deps
    if (!this.#isOpen) return
    monitor.dropped('slow')
    this.#replica?.close()
    socket.close(TRY_AGAIN_LATER, reason)
    const timer = setTimeout(() => socket.terminate(), this.#limits.writeTimeoutMs)
    socket.once('close', () => clearTimeout(timer))
  }
}

/** Yields: the sequencer shares this thread. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function refused(code: SourceErrorCode, message: string): StreamGreeted {
  return { kind: 'refused', code, message }
}
