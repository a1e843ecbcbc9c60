import { type ConsumerMessages, DeliverPolicy, type JetStreamClient } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import {
  type LeaderReply,
  type LeaderRequest,
  type RecordConnection,
  SourceError,
  type StreamHandshake,
  type StreamMessage,
  type SubmitReply,
} from '../../node/log/record-source.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { MessageQueue } from '../message-queue.ts'
import { decodeToReplica, encodeText, type ToReplica } from '../messages.ts'
import { isUnanswered, reasonOf } from './nats-failure.ts'
import { type ChainSubjects, MESSAGE_ID } from './nats-stream.ts'
import { GroupAssembler, readGroupPart } from './record-groups.ts'
import type { StreamReader } from './stream-reader.ts'

const NO_RESPONDER =
  'no node answers requests for development methods: the leader is down, or it runs with --failover or without them'

/** Milliseconds for which a transaction is sent again while no leader listens: a hand-over or take-over is shorter. */
const LEADERLESS_LIMIT_MS = 2_000
const RETRY_DELAY_MS = 50

/** Bytes that may wait to be applied before the consumer stops pulling. */
const MAX_WAITING_BYTES = 8 * 2 ** 20
/** Messages that the server sends ahead. */
const MAX_MESSAGES_AHEAD = 64
/** Milliseconds. After two missed heartbeats the server counts as lost, and another one is used. */
const CONSUMING = { max_messages: MAX_MESSAGES_AHEAD, expires: 10_000, idle_heartbeat: 500 }

export interface NatsConsumptionOptions {
  readonly name: string
  readonly subjects: ChainSubjects
  readonly maxRecordBytes: number
  /** Timeout in milliseconds of a transaction or request that is sent to the leader. */
  readonly leaderTimeoutMs: number
  readonly newestIntervalMs: number
}

export interface NatsConsumptionDeps {
  readonly connection: NatsConnection
  readonly client: JetStreamClient
  readonly reader: StreamReader
  readonly log: Pick<Logger, 'warn'>
}

/** One connection to NATS that reads the stream with an ordered consumer; it ends with any failure. */
export class NatsConsumption {
  readonly #options: NatsConsumptionOptions
  readonly #deps: NatsConsumptionDeps
  readonly #maxPayload: number
  readonly #queue = new MessageQueue({ maxBytes: MAX_WAITING_BYTES })
  #messages: ConsumerMessages | undefined
  #newest: NodeJS.Timeout | undefined
  #handedOver = 0
  /** The newest received message at the time when the stream had more. */
  #missingAfter: number | undefined

  constructor(options: NatsConsumptionOptions, deps: NatsConsumptionDeps) {
    this.#options = options
    this.#deps = deps
    // The client forgets it while it is not connected.
    this.#maxPayload = deps.connection.info!.max_payload
    void deps.connection.closed().then((error) => {
      const reason = error instanceof Error ? ` (${reasonOf(error)})` : ''
      this.#fail(new SourceError('CLOSED', `the connection to ${options.name} was closed${reason}`))
    })
  }

  /** Starts with a record; `next` then returns the messages from there on. */
  async start(from: number): Promise<void> {
    const { client, reader } = this.#deps
    const { subjects, newestIntervalMs } = this.#options
    const streamSequence = await reader.streamSequenceOf(from, await reader.ends())
    const consumer = await client.consumers.get(subjects.stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: Math.max(1, streamSequence),
    })
    this.#messages = await consumer.consume(CONSUMING)
    this.#handedOver = from - 1
    this.#newest = setInterval(() => void this.#announceNewest(), newestIntervalMs)
    void this.#receive(this.#messages, from)
  }

  connection(handshake: StreamHandshake): RecordConnection {
    return {
      handshake,
      next: () => this.next(),
      submit: (raw) => this.submit(raw),
      request: (request) => this.request(request),
      close: () => this.close(),
    }
  }

  next(): Promise<StreamMessage> {
    return this.#queue.next()
  }

  /** @throws SourceError when it is unknown whether the transaction was accepted */
  async submit(raw: Bytes): Promise<SubmitReply> {
    const deadline = performance.now() + LEADERLESS_LIMIT_MS
    for (;;) {
      try {
        const message = await this.#sendToLeader(this.#options.subjects.submit, raw)
        if (message.type === 'submitted') return message.reply
        throw errorOf(message)
      } catch (error) {
        if (error instanceof SourceError) throw error
        if (!isUnanswered(error)) throw unreachable(reasonOf(error), error as Error)
        // No node has received the transaction.
        if (performance.now() >= deadline) throw unreachable('no node leads', error as Error)
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS))
      }
    }
  }

  /** @throws SourceError `NOT_SENT`: it had no effect; others: it is unknown whether the request was carried out */
  async request(request: LeaderRequest): Promise<LeaderReply> {
    const data = Buffer.from(encodeText({ type: 'request', id: 0, ...request }))
    const maxBytes = this.#maxPayload
    if (data.length > maxBytes) {
      const reason = `the request has ${data.length} bytes, and max_payload of the NATS servers is ${maxBytes}`
      throw new SourceError('NOT_SENT', `${reason}: send it to the leader, or raise max_payload`)
    }
    const message = await this.#sendToLeader(this.#options.subjects.request, data).catch((error: Error) => {
      if (!isUnanswered(error)) throw unreachable(reasonOf(error), error)
      throw new SourceError('NOT_SENT', NO_RESPONDER, { cause: error })
    })
    if (message.type === 'answered') return message.reply
    throw errorOf(message)
  }

  async #sendToLeader(subject: string, data: Bytes): Promise<ToReplica> {
    const { connection } = this.#deps
    const response = await connection.request(subject, data, { timeout: this.#options.leaderTimeoutMs })
    return decodeToReplica(response.string())
  }

  close(): void {
    this.#fail(new SourceError('CLOSED', 'the connection was closed'))
  }

  async #receive(messages: ConsumerMessages, from: number): Promise<void> {
    const { log } = this.#deps
    const assembler = new GroupAssembler({ maxBytes: this.#options.maxRecordBytes })
    try {
      let isChecked = false
      for await (const message of messages) {
        if (!isChecked) await this.#checkFirst(message.seq, message.headers?.get(MESSAGE_ID) ?? '')
        isChecked = true
        const part = readGroupPart((name) => message.headers?.get(name))
        const assembled = assembler.take(part, message.data)
        if (assembled.kind === 'records') {
          const records = assembled.records.filter(({ sequence }) => sequence >= from)
          if (records.length === 0) continue
          this.#handedOver = records.at(-1)!.sequence
          this.#queue.add({ kind: 'records', records }, bytesOf(records))
        } else if (assembled.kind === 'malformed') {
          log.warn({ streamSequence: message.seq, reason: assembled.reason }, 'a message of the stream is passed over')
          this.#queue.add({ kind: 'malformed' }, 0)
        }
        await this.#queue.room()
      }
      this.#fail(new SourceError('CLOSED', `${this.#options.name} ended the stream`))
    } catch (error) {
      this.#fail(error instanceof SourceError ? error : new SourceError('CLOSED', String(error), { cause: error }))
    }
  }

  /**
   * A server that was suspended while it led may have kept messages that the others never stored (NATS 2.9.10). The
   * first message of a consumer must therefore equal the one that the stream leader has there.
   */
  async #checkFirst(streamSequence: number, id: string): Promise<void> {
    const { reader } = this.#deps
    const led = await reader.message(streamSequence)
    if (led?.messageId === id) return
    // The stream deleted it since, to stay within its limits.
    if (led === undefined && streamSequence < (await reader.ends()).first) return
    const reason = `a server of ${this.#options.name} has another message ${streamSequence} than the one that leads the stream`
    throw new SourceError('UNREACHABLE', reason)
  }

  /** Reports that the stream is reachable, and its end, even while nothing is published. */
  async #announceNewest(): Promise<void> {
    const { reader } = this.#deps
    try {
      const { last } = await reader.ends()
      const part = last > 0 ? (await reader.message(last))?.part : undefined
      const newest = part?.part === part?.parts ? part?.last : undefined
      const sent = this.#handedOver
      this.#queue.add({ kind: 'newest', sequence: Math.max(newest ?? 0, sent), sent }, 0)
      const isMissing = newest !== undefined && newest > sent && !this.#queue.isFull
      if (isMissing && this.#missingAfter === sent) {
        throw new Error(`record ${sent + 1} does not come, the stream has ${newest}`)
      }
      this.#missingAfter = isMissing ? sent : undefined
    } catch (error) {
      const reason = `${this.#options.name} gives nothing more: ${reasonOf(error)}`
      this.#fail(new SourceError('UNREACHABLE', reason, { cause: error }))
    }
  }

  #fail(failure: SourceError): void {
    clearInterval(this.#newest)
    this.#queue.fail(failure)
    this.#messages?.stop()
    void this.#deps.connection.close()
  }
}

function bytesOf(records: readonly { readonly payload: Bytes }[]): number {
  return records.reduce((sum, { payload }) => sum + payload.length, 0)
}

function errorOf(message: ToReplica): SourceError {
  return unreachable(message.type === 'unsubmitted' ? message.message : `an answer of the type ${message.type}`)
}

function unreachable(reason: string, cause?: Error): SourceError {
  return new SourceError('UNREACHABLE', reason, { cause })
}
