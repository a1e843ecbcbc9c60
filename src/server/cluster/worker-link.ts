import { Socket } from 'node:net'
import type { Clock } from '../../node/core/clock.ts'
import { inTime, RESPONSE_TIMEOUT_MS } from '../../node/core/deadline.ts'
import type { SetHeadResult } from '../../node/core/results.ts'
import type { ReaderChain } from '../../node/following/reader-chain.ts'
import type { ReaderLink } from '../../node/following/reader-link.ts'
import { ReplicaError } from '../../node/following/replica-error.ts'
import type { LeaderReply, LeaderRequest, SubmitReply } from '../../node/log/record-source.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import { RPC_CODES } from '../../rpc/protocol/errors.ts'
import { type DropRecord, decodeRecord, type PoolRecord } from '../../state/records/record.ts'
import { isPoolChange } from '../../state/records/record-kinds.ts'
import type { MetricFamilies } from '../metrics/metrics.ts'
import type { SocketEndpoint, UpgradingConnection } from '../websocket/socket-endpoint.ts'
import { ChannelError, ProcessChannel, type ProcessPort } from './channel.ts'
import {
  type CallResponse,
  type ForwardedCall,
  type FromWorker,
  PUT_BACK,
  type ToWorker,
  type WorkerRequests,
  type WriterCondition,
  type WriterRequests,
} from './messages.ts'
import { joinChunks, ResponseChunks } from './response-chunks.ts'

/** Milliseconds; longer than the caller's own timeout, which has a better message. */
const PATIENCE_MS = RESPONSE_TIMEOUT_MS + 1_000
const UNANSWERED: CallResponse = {
  kind: 'error',
  code: RPC_CODES.timedOut,
  message: `the process that keeps this filter did not answer in ${RESPONSE_TIMEOUT_MS / 1000} s: try again later`,
  data: undefined,
}

/** Interface through which the link drives the chain of a worker. */
type FollowingChain = Pick<ReaderChain, 'sequence' | 'apply' | 'rebase' | 'applied'>

/** Start state of a worker. */
export interface WorkerHandover
  extends Pick<Extract<ToWorker, { kind: 'begin' }>, 'worker' | 'workers' | 'settings' | 'handover'> {
  /** Pooled and dropped transactions. */
  readonly pooled: readonly (PoolRecord | DropRecord)[]
}

/** Condition of a worker. The part about the other process is as old as `silence`. */
export interface LinkCondition {
  /** Records not applied yet. */
  readonly lagRecords: number
  /** Milliseconds since the last message of the other process. */
  readonly silenceMs: number
  readonly writer: WriterCondition | undefined
  /** Workers that serve clients, including this one. */
  readonly answering: number
}

export interface WorkerLinkDeps {
  readonly port: ProcessPort
  readonly clock: Pick<Clock, 'monotonic' | 'at'>
  /** Called when the worker has to stop gracefully. */
  readonly onStop: () => void
  /** Called when following the records failed. */
  readonly onFailure: (error: unknown) => void
}

/** Services of a worker for other processes. */
export interface WorkerServices {
  readonly call: (call: ForwardedCall) => Promise<CallResponse>
  readonly metrics: () => Promise<MetricFamilies>
}

/** The worker's end of the channel to the writer process. */
export class WorkerLink implements ReaderLink {
  /** Resolves with the start state. */
  readonly begun: Promise<WorkerHandover>
  readonly #deps: WorkerLinkDeps
  readonly #channel: ProcessChannel<FromWorker, WriterRequests, ToWorker, WorkerRequests>
  #begin!: (handover: WorkerHandover) => void
  #pooled: (PoolRecord | DropRecord)[] = []
  #reader: FollowingChain | undefined
  #services: WorkerServices | undefined
  #takeConnection: (socket: Socket) => void = (socket) => socket.destroy()
  #writer: WriterCondition | undefined
  #answering = 0
  #newestSequence = 0
  #lastMessageAt: number

  constructor(deps: WorkerLinkDeps) {
    this.#deps = deps
    this.#lastMessageAt = deps.clock.monotonic()
    this.begun = new Promise((resolve) => {
      this.#begin = resolve
    })
    const held = new ResponseChunks(deps)
    this.#channel = new ProcessChannel<FromWorker, WriterRequests, ToWorker, WorkerRequests>({
      port: deps.port,
      answering: {
        // A PUT_BACK has a small response; large responses of other requests must not cause its refusal.
        call: (call) =>
          call.method === PUT_BACK ? this.#served().call(call) : held.send(() => this.#served().call(call)),
        piece: async (piece) => held.piece(piece),
        metrics: () => this.#served().metrics(),
      },
      onMessage: (message, handle) => this.#take(message, handle),
      timeout: { clock: deps.clock, milliseconds: PATIENCE_MS },
    })
    this.#channel.notify({ kind: 'hello' })
  }

  get condition(): LinkCondition {
    const lagRecords = Math.max(0, this.#newestSequence - (this.#reader?.sequence ?? 0))
    const silence = this.#deps.clock.monotonic() - this.#lastMessageAt
    return { lagRecords, silenceMs: silence, writer: this.#writer, answering: this.#answering }
  }

  /** Starts applying records to a reader and reporting its progress. */
  follow(reader: FollowingChain): void {
    this.#reader = reader
    this.#channel.notify({ kind: 'applied', sequence: reader.sequence })
  }

  /** Starts serving requests of other workers. */
  serve(services: WorkerServices): void {
    this.#services = services
  }

  /** Resolves when this worker has applied every record that any worker has acknowledged: clients may connect. */
  async join(): Promise<void> {
    const sequence = await this.#channel.request('join', undefined)
    await this.#reader?.applied(sequence)
  }

  /** @param take serves a connection */
  beginServing(take: (socket: Socket) => void): void {
    this.#takeConnection = take
    this.#channel.notify({ kind: 'ready' })
  }

  reportFailure(error: unknown): void {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    this.#channel.notify({ kind: 'failed', message: error instanceof Error ? error.message : String(error), code })
  }

  submit(raw: Bytes, from: Address): Promise<SubmitReply> {
    return this.#channel.request('submit', { raw, from }).catch(asReplicaError)
  }

  request(request: LeaderRequest): Promise<LeaderReply> {
    return this.#channel.request('leader', request).catch(asReplicaError)
  }

  reached(sequence: number): Promise<void> {
    return this.#channel.request('reached', sequence)
  }

  setHead(number: number): Promise<{ readonly result: SetHeadResult; readonly sequence: number }> {
    return this.#channel.request('setHead', number).catch(asReplicaError)
  }

  async call(worker: number, call: ForwardedCall): Promise<CallResponse> {
    const { clock } = this.#deps
    const sent = await inTime(
      this.#channel.request('call', { ...call, worker }),
      RESPONSE_TIMEOUT_MS,
      clock,
      () => UNANSWERED,
    )
    return joinChunks(sent, (piece) =>
      inTime(this.#channel.request('piece', { ...piece, worker }), RESPONSE_TIMEOUT_MS, clock, () => undefined),
    )
  }

  /**
   * Metrics of all processes in Prometheus text format.
   *
   * @throws ChannelError
   */
  metricsText(): Promise<string> {
    return inTime(this.#channel.request('metrics', undefined), RESPONSE_TIMEOUT_MS, this.#deps.clock, () => {
      throw new ChannelError(`the process that writes did not answer in ${RESPONSE_TIMEOUT_MS / 1000} s`)
    })
  }

  /** An endpoint that transfers WebSocket connections to the other process. */
  endpoint(traits: Omit<SocketEndpoint, 'accept'>): SocketEndpoint {
    return {
      ...traits,
      accept: () => ({ kind: 'transferred', handOver: (connection) => this.#handOver(connection) }),
    }
  }

  #take(message: ToWorker, handle: unknown): void {
    this.#lastMessageAt = this.#deps.clock.monotonic()
    switch (message.kind) {
      case 'pool':
        for (const record of message.records) {
          const decoded = decodeRecord(record)
          if (isPoolChange(decoded)) this.#pooled.push(decoded)
        }
        break
      case 'begin': {
        const { kind: _, ...begin } = message
        this.#begin({ ...begin, pooled: this.#pooled })
        this.#pooled = []
        break
      }
      case 'records':
        this.#apply(message)
        break
      case 'pulse':
        this.#newestSequence = message.newestSequence
        this.#writer = message.condition
        this.#answering = message.answering
        this.#reader?.rebase()
        this.#channel.notify({ kind: 'alive' })
        break
      case 'connection':
        if (handle instanceof Socket) this.#takeConnection(handle)
        this.#channel.notify({ kind: 'taken' })
        break
      case 'stop':
        this.#deps.onStop()
    }
  }

  #apply({ first, records }: Extract<ToWorker, { kind: 'records' }>): void {
    const reader = this.#reader!
    try {
      reader.apply(records.map((payload, index) => ({ sequence: first + index, payload })))
    } catch (error) {
      this.#deps.onFailure(error)
      return
    }
    this.#newestSequence = Math.max(this.#newestSequence, reader.sequence)
    this.#channel.notify({ kind: 'applied', sequence: reader.sequence })
  }

  #handOver({ target, headers, socket, following, client }: UpgradingConnection): void {
    const { id, address } = client
    // Node would request the connection count of this server from the other process, which does not have it.
    Reflect.set(socket, 'server', null)
    // The socket belongs to the other process.
    const forget = () => socket.destroy()
    this.#channel.notify({ kind: 'upgrade', target, headers, following, id, address }, socket, forget)
  }

  #served(): WorkerServices {
    if (this.#services === undefined) throw new ChannelError('the worker has only just been started')
    return this.#services
  }
}

/** Converts errors of the other process, so that clients see the same error. */
function asReplicaError(error: unknown): never {
  const code = error instanceof ChannelError ? error.code : undefined
  const isFinal =
    code === 'SEQUENCER_UNREACHABLE' || code === 'REPLICA_BEHIND' || code === 'NOT_ON_REPLICA' || code === 'NOT_SENT'
  throw isFinal ? new ReplicaError(code, (error as ChannelError).message, { cause: error }) : error
}
