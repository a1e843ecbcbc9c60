import { type JetStreamClient, JetStreamError } from '@nats-io/jetstream'
import { headers as createHeaders, TimeoutError } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { Clock } from '../../node/core/clock.ts'
import { type PublishingCondition, type RecordPublisher, ReplicatedLogError } from '../../node/log/replicated-log.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import { explained, isStreamGone, isUnanswered } from './nats-failure.ts'
import { type ChainSubjects, messageId } from './nats-stream.ts'
import { type GroupMessage, splitGroup } from './record-groups.ts'
import type { StreamReader } from './stream-reader.ts'

/** Maximum bytes of records in a publish, which contains at least one record. */
const GROUP_BYTES = 4 * 2 ** 20

/** A larger message takes longer to store than the short timeout: retries would queue up behind each other. */
const QUICK_BYTES = 64 * 1024
/** Milliseconds of retries with the short timeout: a leader needs less to ignore hundreds of messages. */
const QUICK_SPAN_MS = 15_000
/** Milliseconds of retries for a message that the stream should have: a former leader may respond once. */
const MISSING_SPAN_MS = 5_000

/** Milliseconds between log lines about waiting records. */
const REMINDER_INTERVAL_MS = 10_000

const NEVER = new Promise<never>(() => undefined)

export interface NatsPublisherOptions {
  readonly target: string
  readonly subjects: ChainSubjects
  /** Bytes of a message's data. */
  readonly maxDataBytes: number
  /** Milliseconds without a response after which the publisher reads the end of the stream. */
  readonly ackTimeoutMs: number
  /**
   * As `ackTimeoutMs`, for a retry. A new stream leader that failed to store what the others did ignores as many
   * messages before it accepts one (NATS 2.9.10, after it was suspended): 50 attempts of half a second took 27 seconds.
   */
  readonly resendTimeoutMs: number
  /** Milliseconds between attempts while there is no response. */
  readonly retryDelayMs: number
  /** Whether a stream that lost records ends publishing; otherwise the publisher waits for the stream. */
  readonly tellsLoss: boolean
  /** The end of the stream: the newest record and its position. */
  readonly lastSequence: number
  readonly lastStreamSequence: number
  /** Creation time of the stream. */
  readonly created: string
}

export interface NatsPublisherDeps {
  readonly client: Pick<JetStreamClient, 'publish'>
  readonly reader: Pick<StreamReader, 'ends' | 'message'>
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
}

/**
 * Stores records in a stream. Each group is conditional on the end of the stream that this publisher knows: writes of
 * another publisher are detected (fencing), and a group that was sent twice is stored once.
 */
export class NatsPublisher implements RecordPublisher {
  readonly #options: NatsPublisherOptions
  readonly #deps: NatsPublisherDeps
  #pending: LogRecord[] = []
  #added: number
  #published: number
  #streamSequence: number
  #running: { readonly through: number; readonly done: Promise<void> } | undefined
  #next: Promise<void> | undefined
  #failure: ReplicatedLogError | undefined
  #stalledSince: number | undefined
  /** Time of the last log line about waiting records. */
  #loggedAt = Number.NEGATIVE_INFINITY
  #isClosed = false
  readonly #abandonment: Promise<never>
  #rejectAbandoned: (error: ReplicatedLogError) => void = () => undefined
  #endPause: () => void = () => undefined

  constructor(options: NatsPublisherOptions, deps: NatsPublisherDeps) {
    this.#options = options
    this.#deps = deps
    this.#added = options.lastSequence
    this.#published = options.lastSequence
    this.#streamSequence = options.lastStreamSequence
    this.#abandonment = new Promise<never>((_, reject) => {
      this.#rejectAbandoned = reject
    })
    this.#abandonment.catch(() => undefined)
  }

  get publishedSequence(): number {
    return this.#published
  }

  get condition(): PublishingCondition {
    const since = this.#stalledSince
    const stalledFor = since === undefined ? 0 : this.#deps.clock.monotonic() - since
    return { target: this.#options.target, stalledForMs: stalledFor }
  }

  add(record: LogRecord): void {
    this.#pending.push(record)
    this.#added = record.sequence
  }

  async flush(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#pending.length === 0 && this.#running === undefined) return
    if (this.#running === undefined) {
      const done = this.#publishPending()
      this.#running = { through: this.#added, done }
      return done
    }
    if (this.#running.through >= this.#added) return this.#running.done
    this.#next ??= this.#running.done.then(() => {
      this.#next = undefined
      return this.flush()
    })
    return this.#next
  }

  /** Unacknowledged records are published at the next start; pending flushes never resolve. */
  close(): void {
    this.#isClosed = true
    this.#endPause()
  }

  abandon(): void {
    const message = `records were not stored in ${this.#options.target}: this node no longer builds blocks`
    this.#failure ??= new ReplicatedLogError('ABANDONED', message)
    this.#rejectAbandoned(this.#failure)
    this.#endPause()
  }

  async #publishPending(): Promise<void> {
    const batch = this.#pending
    this.#pending = []
    try {
      for (let start = 0; start < batch.length; ) {
        const group = groupFrom(batch, start)
        for (const message of splitGroup(group, this.#options.maxDataBytes)) {
          await Promise.race([this.#store(message), this.#abandonment])
        }
        this.#published = group.at(-1)!.sequence
        start += group.length
      }
    } catch (error) {
      // No further response is awaited: announced records are stored, and nothing more will be announced.
      this.#failure ??= error as ReplicatedLogError
      throw this.#failure
    }
    this.#running = undefined
  }

  async #store({ headers, data }: GroupMessage): Promise<void> {
    const { client, clock, log } = this.#deps
    const { subjects, ackTimeoutMs, resendTimeoutMs, target } = this.#options
    let timeout = ackTimeoutMs
    const started = clock.monotonic()
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure
      const id = messageId(this.#streamSequence + 1, data)
      try {
        const messageHeaders = createHeaders()
        for (const [name, value] of headers) messageHeaders.set(name, value)
        const { seq } = await client.publish(subjects.records, data, {
          msgID: id,
          headers: messageHeaders,
          timeout,
          expect: { lastSequence: this.#streamSequence, streamName: subjects.stream },
        })
        // For a duplicate, the response has the position of the original.
        if (seq !== this.#streamSequence + 1)
          throw new JetStreamError(`stored at ${seq} instead of ${this.#streamSequence + 1}`)
        this.#streamSequence = seq
        break
      } catch (error) {
        this.#stalledSince ??= started
        // Without a response, the end of the stream shows why: its servers elect a leader, or it was deleted.
        if (!isUnanswered(error)) this.#logStall(error)
        const isQuick = data.length <= QUICK_BYTES && clock.monotonic() - started < QUICK_SPAN_MS
        timeout = isQuick ? resendTimeoutMs : ackTimeoutMs
        if (await this.#isStored(id)) break
        if (isUnanswered(error)) this.#logStall(error)
        // An immediate rejection would repeat; after a timeout no pause is needed.
        if (!(error instanceof TimeoutError)) await this.#pause()
      }
    }
    if (this.#stalledSince === undefined) return
    log.warn({ target, milliseconds: Math.round(this.condition.stalledForMs) }, 'records are published again')
    this.#stalledSince = undefined
  }

  /** At once, then at intervals: the reason may change. */
  #logStall(error: unknown): void {
    const { clock, log } = this.#deps
    const { target } = this.#options
    const now = clock.monotonic()
    const isFirst = this.#loggedAt < (this.#stalledSince ?? now)
    if (!isFirst && now - this.#loggedAt < REMINDER_INTERVAL_MS) return
    this.#loggedAt = now
    const reason = isStreamGone(error) ? this.#deleted(error) : explained(error, target)
    log.warn({ err: reason, target }, 'records wait: they could not be published')
  }

  /** After a publish without a response, the end of the stream shows whether it was stored. */
  async #isStored(id: string): Promise<boolean> {
    const { clock } = this.#deps
    let missingSince: number | undefined
    for (;;) {
      if (this.#isClosed) return NEVER
      if (this.#failure !== undefined) throw this.#failure
      try {
        const { last, created } = await this.#deps.reader.ends()
        if (created !== this.#options.created) throw this.#replaced()
        if (last < this.#streamSequence) throw this.#lost(`ends at ${last}, it had ${this.#streamSequence}`)
        for (let streamSequence = this.#streamSequence + 1; streamSequence <= last; streamSequence += 1) {
          const message = await this.#deps.reader.message(streamSequence)
          if (message?.messageId === id) {
            this.#streamSequence = streamSequence
            return true
          }
          if (message?.part !== undefined) throw this.#fenced(message.part.first)
          if (message === undefined) {
            missingSince ??= clock.monotonic()
            if (clock.monotonic() - missingSince < MISSING_SPAN_MS)
              throw new Error(`no message ${streamSequence} was found`)
          }
          this.#deps.log.warn({ streamSequence }, 'the stream has a message that is not a record: it is passed over')
          this.#streamSequence = streamSequence
        }
        return false
      } catch (error) {
        if (error instanceof ReplicatedLogError) throw error
        if (this.#options.tellsLoss && isStreamGone(error)) throw this.#lost('is gone')
        this.#logStall(error)
        await this.#pause()
      }
    }
  }

  /** The stream will never contain these records. */
  #replaced(): ReplicatedLogError {
    return new ReplicatedLogError(
      'LOST',
      `the stream of ${this.#options.target} was deleted and recreated: restart this node, so that it ` +
        `publishes what it has`,
    )
  }

  #deleted(cause: unknown): ReplicatedLogError {
    const message =
      `the stream ${this.#options.subjects.stream} of ${this.#options.target} was deleted: restart this node, which ` +
      'creates it again and publishes what it has'
    return new ReplicatedLogError('LOST', message, { cause })
  }

  #lost(what: string): Error {
    const message = `the stream of ${this.#options.target} ${what}`
    return this.#options.tellsLoss ? new ReplicatedLogError('LOST', message) : new Error(message)
  }

  #fenced(sequence: number): ReplicatedLogError {
    return new ReplicatedLogError(
      'FENCED',
      `another node has published record ${sequence} to ${this.#options.target}: this one announces nothing ` +
        `more; let one node sequence, and start this one as a replica`,
    )
  }

  #pause(): Promise<void> {
    const { clock } = this.#deps
    return new Promise((resolve) => {
      const cancel = clock.at(clock.monotonic() + this.#options.retryDelayMs, resolve)
      this.#endPause = () => {
        cancel()
        resolve()
      }
    })
  }
}

function groupFrom(records: readonly LogRecord[], start: number): readonly LogRecord[] {
  let end = start + 1
  let bytes = records[start]!.payload.length
  while (end < records.length && bytes + records[end]!.payload.length <= GROUP_BYTES) {
    bytes += records[end]!.payload.length
    end += 1
  }
  return records.slice(start, end)
}
