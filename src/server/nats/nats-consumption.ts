import { type ConsumerMessages, DeliverPolicy, type JetStreamClient } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import {
  type RecordConnection,
  SourceError,
  type StreamMessage,
  type SubmitReply,
  type Welcome,
} from '../../node/replica/record-source.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { MessageQueue } from '../replicas/message-queue.ts'
import { decodeToReplica } from '../replicas/messages.ts'
import { isElecting, isUnanswered } from './nats-failure.ts'
import { type Assembled, GroupAssembler, readGroupPart } from './record-groups.ts'
import type { PlacedMessage, StreamReader } from './stream-reader.ts'

/** Bytes that may wait to be applied before nothing more is taken from the stream. */
const MAX_WAITING_BYTES = 8 * 2 ** 20
/** Messages that the server sends ahead. */
const MAX_MESSAGES_AHEAD = 64
/** Milliseconds between looks at the end of the stream while there is no consumer. */
const LOOK_INTERVAL = 20
/** Milliseconds: a consumer whose server is gone is noticed after two heartbeats, and begun again elsewhere. */
const CONSUMING = { max_messages: MAX_MESSAGES_AHEAD, expires: 10_000, idle_heartbeat: 500 }

export interface NatsConsumptionOptions {
  readonly name: string
  readonly stream: string
  readonly submitSubject: string
  readonly maxGroupBytes: number
  readonly submitTimeout: number
  readonly newestInterval: number
}

export interface NatsConsumptionParts {
  readonly connection: NatsConnection
  readonly client: JetStreamClient
  readonly reader: StreamReader
  readonly log: Pick<Logger, 'warn'>
}

/**
 * One connection to NATS that reads the stream with an ordered consumer; it ends with whatever goes wrong. While the servers elect
 * who leads them all none of them makes a consumer, though the stream goes on: it is read message by message then.
 */
export class NatsConsumption {
  readonly #options: NatsConsumptionOptions
  readonly #parts: NatsConsumptionParts
  readonly #queue = new MessageQueue({ maxBytes: MAX_WAITING_BYTES })
  #messages: ConsumerMessages | undefined
  #newest: NodeJS.Timeout | undefined
  #from = 0
  #handedOver = 0
  #isEnded = false
  /** What had come when the stream was seen to have more. */
  #missingAfter: number | undefined

  constructor(options: NatsConsumptionOptions, parts: NatsConsumptionParts) {
    this.#options = options
    this.#parts = parts
    void parts.connection.closed().then((error) => {
      const reason = error instanceof Error ? ` (${error.message})` : ''
      this.#fail(new SourceError('CLOSED', `the connection to ${options.name} was closed${reason}`))
    })
  }

  /** Begins with a record; from then on `next` gives what comes. */
  async start(from: number): Promise<void> {
    const { reader } = this.#parts
    const ends = await reader.ends()
    const place = await reader.placeOf(from, ends)
    const first = place <= ends.last ? await reader.message(place) : undefined
    this.#from = from
    this.#handedOver = from - 1
    const messages = await this.#consumer(place).catch((error: unknown) => {
      if (!isElecting(error)) throw error
      return undefined
    })
    this.#newest = setInterval(() => void this.#tellNewest(), this.#options.newestInterval)
    void (messages === undefined ? this.#readSingly(Math.max(1, place)) : this.#receive(messages, first))
  }

  connection(welcome: Welcome): RecordConnection {
    return {
      welcome,
      next: () => this.next(),
      submit: (raw) => this.submit(raw),
      close: () => this.close(),
    }
  }

  next(): Promise<StreamMessage> {
    return this.#queue.next()
  }

  /** @throws SourceError when it is not known whether it was taken */
  async submit(raw: Bytes): Promise<SubmitReply> {
    const { connection } = this.#parts
    const { submitSubject, submitTimeout } = this.#options
    const answer = await connection.request(submitSubject, raw, { timeout: submitTimeout }).catch((error: Error) => {
      throw new SourceError('UNREACHABLE', isUnanswered(error) ? 'no node sequences' : error.message, { cause: error })
    })
    const message = decodeToReplica(answer.string())
    if (message.type === 'submitted') return message.reply
    const reason = message.type === 'unsubmitted' ? message.message : `an answer of the type ${message.type}`
    throw new SourceError('UNREACHABLE', reason)
  }

  close(): void {
    this.#fail(new SourceError('CLOSED', 'the connection was closed'))
  }

  async #consumer(place: number): Promise<ConsumerMessages> {
    const consumer = await this.#parts.client.consumers.get(this.#options.stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: Math.max(1, place),
    })
    const messages = await consumer.consume(CONSUMING)
    this.#messages = messages
    if (this.#isEnded) messages.stop()
    return messages
  }

  /** Until there is a consumer, which is asked for all the while. */
  async #readSingly(from: number): Promise<void> {
    const { reader } = this.#parts
    const assembler = new GroupAssembler({ maxBytes: this.#options.maxGroupBytes })
    let [next, groupBegin] = [from, from]
    let messages: ConsumerMessages | undefined
    let isAsking = false
    try {
      while (messages === undefined && !this.#isEnded) {
        if (!isAsking) {
          isAsking = true
          // What comes twice then is passed over.
          this.#consumer(groupBegin).then(
            (begun) => {
              messages = begun
            },
            () => {
              isAsking = false
            },
          )
        }
        const { last } = await reader.ends()
        for (; next <= last && !this.#isEnded; next += 1) {
          const message = await reader.message(next)
          if (message !== undefined && this.#take(assembler.take(message.part, message.data), next))
            groupBegin = next + 1
          await this.#queue.room()
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL))
      }
    } catch (error) {
      this.#fail(new SourceError('UNREACHABLE', `${this.#options.name}: ${(error as Error).message}`, { cause: error }))
    }
    this.#from = this.#handedOver + 1
    if (messages !== undefined && !this.#isEnded) await this.#receive(messages, undefined)
  }

  /** @param first as whoever leads the stream has it */
  async #receive(messages: ConsumerMessages, first: PlacedMessage | undefined): Promise<void> {
    const assembler = new GroupAssembler({ maxBytes: this.#options.maxGroupBytes })
    try {
      for await (const message of messages) {
        // A server that stood still while it led may have kept what the others never stored (NATS 2.9.10).
        if (message.seq === first?.place && message.headers?.get('Nats-Msg-Id') !== first.messageId) {
          const reason = `a server of ${this.#options.name} has another message ${message.seq} than the one that leads the stream`
          throw new SourceError('UNREACHABLE', reason)
        }
        const part = readGroupPart((name) => message.headers?.get(name))
        this.#take(assembler.take(part, message.data), message.seq)
        await this.#queue.room()
      }
      this.#fail(new SourceError('CLOSED', `${this.#options.name} ended the stream`))
    } catch (error) {
      this.#fail(error instanceof SourceError ? error : new SourceError('CLOSED', String(error), { cause: error }))
    }
  }

  /** @returns whether a group ends there */
  #take(assembled: Assembled, place: number): boolean {
    if (assembled.kind === 'records') {
      const records = assembled.records.filter(({ sequence }) => sequence >= this.#from)
      if (records.length > 0) {
        this.#handedOver = records.at(-1)!.sequence
        this.#queue.add({ kind: 'records', records }, bytesOf(records))
      }
    } else if (assembled.kind === 'malformed') {
      this.#parts.log.warn({ place, reason: assembled.reason }, 'a message of the stream is passed over')
      this.#queue.add({ kind: 'malformed' }, 0)
    }
    return assembled.kind !== 'more'
  }

  /** That the stream is heard of, and how far it is, also while nothing is published. */
  async #tellNewest(): Promise<void> {
    const { reader } = this.#parts
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
      const reason = `${this.#options.name} gives nothing more: ${(error as Error).message}`
      this.#fail(new SourceError('UNREACHABLE', reason, { cause: error }))
    }
  }

  #fail(failure: SourceError): void {
    this.#isEnded = true
    clearInterval(this.#newest)
    this.#queue.fail(failure)
    this.#messages?.stop()
    void this.#parts.connection.close()
  }
}

function bytesOf(records: readonly { readonly payload: Bytes }[]): number {
  return records.reduce((sum, { payload }) => sum + payload.length, 0)
}
