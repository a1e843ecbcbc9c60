import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { Clock } from '../../node/core/clock.ts'
import { unlessAborted } from '../../node/core/deadline.ts'
import type { SubmitResult } from '../../node/core/results.ts'
import { type LeaderReply, type LeaderRequest, SourceError, type StreamSettings } from '../../node/log/record-source.ts'
import {
  type RecordPublisher,
  type RecordRange,
  type ReplicatedLog,
  type ReplicatedLogBackend,
  type ReplicatedLogDescription,
  ReplicatedLogError,
} from '../../node/log/replicated-log.ts'
import type { Bytes, Hash } from '../../primitives/hex.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import { decodeToServer } from '../messages.ts'
import { explained, isElecting, isStreamGone, reasonOf } from './nats-failure.ts'
import { NatsPublisher } from './nats-publisher.ts'
import { NatsResponder } from './nats-responder.ts'
import { connectNats, delay, type NatsTiming, natsName } from './nats-servers.ts'
import { chainSubjects, findOrMakeStream, openStream, refuseOtherChains, type StreamLimits } from './nats-stream.ts'
import { checkServers, type ServerCheckOptions } from './server-checks.ts'
import { StreamReader, type StreamState } from './stream-reader.ts'

/** Bytes reserved in a message for headers and subject. */
const HEADER_ROOM = 1_024
/**
 * Milliseconds that reachable servers may take to respond at startup: a cluster does not respond while it elects a
 * leader.
 */
const MAX_ELECTION = 30_000

export interface NatsLogOptions extends NatsTiming, ServerCheckOptions {
  /** Comma-separated. */
  readonly urls: string
  readonly limits: StreamLimits
  /** Maximum bytes of records published together. */
  readonly maxRecordBytes: number
  /** Milliseconds; see `NatsPublisher`. */
  readonly ackTimeoutMs: number
  readonly resendTimeoutMs: number
  /** Additional timeout in milliseconds for reading the end of the stream. */
  readonly lookTimeoutMs: number
  readonly retryDelayMs: number
  /** See `NatsPublisher`. */
  readonly tellsLoss: boolean
  /**
   * Genesis hashes of the chains that may have streams on the same servers when this one has none. `undefined`: any
   * chain may.
   */
  readonly neighbours: readonly Hash[] | undefined
}

export interface NatsLogDeps {
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn' | 'error'>
}

/** A NATS JetStream stream as the replicated log of a chain. */
export class NatsLog implements ReplicatedLogBackend {
  readonly #options: NatsLogOptions
  readonly #deps: NatsLogDeps

  constructor(options: NatsLogOptions, deps: NatsLogDeps) {
    this.#options = options
    this.#deps = deps
  }

  async open(description: ReplicatedLogDescription, signal?: AbortSignal): Promise<ReplicatedLog> {
    const { urls } = this.#options
    const name = natsName(urls)
    const connecting = connectNats(urls, this.#options, true).catch((error: Error) => {
      throw unreachable(name, error)
    })
    const connection = await unlessAborted(connecting, signal, (timedOut) => void timedOut.close())
    try {
      const checks = { ...this.#options, servers: urls.split(',').length }
      await unlessAborted(checkServers(connection, checks, this.#deps.log), signal)
      const opening = () => this.#openStream(connection, name, description)
      return await whenElected(opening, { ...this.#options, name }, { ...this.#deps, signal })
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  async #openStream(
    connection: NatsConnection,
    name: string,
    description: ReplicatedLogDescription,
  ): Promise<ReplicatedLog> {
    const { limits, maxRecordBytes, requestTimeoutMs, lookTimeoutMs, neighbours } = this.#options
    const manager = await jetstreamManager(connection, { timeout: requestTimeoutMs })
    if (neighbours !== undefined) await refuseOtherChains(manager, description, neighbours)
    const before = await findOrMakeStream(manager, description, limits)
    const { stream } = chainSubjects(description)
    const reader = new StreamReader({ maxBytes: maxRecordBytes }, { manager, stream })
    // A stream without a leader does not respond: with a long timeout the end of an election would be noticed late.
    const impatient = await jetstreamManager(connection, { timeout: lookTimeoutMs, checkAPI: false })
    const tail = new StreamReader({ maxBytes: maxRecordBytes }, { manager: impatient, stream })
    const ends = await reader.ends()
    await reader.settle(ends, { clock: this.#deps.clock, intervalMs: this.#options.retryDelayMs })
    const range = await reader.range(ends)
    return new OpenNatsLog(
      { ...this.#options, name, description, settingsBefore: before?.settings },
      { ...this.#deps, connection, manager, reader, tail },
      { ends, range },
    )
  }
}

interface OpenOptions extends NatsLogOptions {
  readonly name: string
  readonly description: ReplicatedLogDescription
  readonly settingsBefore: StreamSettings | undefined
}

interface OpenDeps extends NatsLogDeps {
  readonly connection: NatsConnection
  readonly manager: JetStreamManager
  readonly reader: StreamReader
  /** Short timeout for repeated reads of the stream's end. */
  readonly tail: StreamReader
}

/** The stream as of the last read. */
interface StreamExtent {
  readonly ends: StreamState
  readonly range: RecordRange | undefined
}

class OpenNatsLog implements ReplicatedLog {
  readonly name: string
  readonly settingsBefore: StreamSettings | undefined
  readonly #options: OpenOptions
  readonly #deps: OpenDeps
  #extent: StreamExtent
  readonly #responder: NatsResponder
  #publisher: NatsPublisher | undefined

  constructor(options: OpenOptions, deps: OpenDeps, extent: StreamExtent) {
    this.name = options.name
    this.settingsBefore = options.settingsBefore
    this.#options = options
    this.#deps = deps
    this.#extent = extent
    this.#responder = new NatsResponder(deps)
  }

  get range(): RecordRange | undefined {
    return this.#extent.range
  }

  async describe(signal?: AbortSignal): Promise<void> {
    const { description, limits } = this.#options
    const describing = () => openStream(this.#deps.manager, description, limits, signal)
    await whenElected(describing, this.#options, { ...this.#deps, signal })
  }

  async refresh(): Promise<void> {
    try {
      await this.#look()
    } catch (error) {
      throw explained(error, this.name)
    }
  }

  async record(sequence: number): Promise<Bytes | undefined> {
    try {
      return await this.#deps.reader.record(sequence, this.#extent.ends)
    } catch (error) {
      throw explained(error, this.name)
    }
  }

  async *read(from: number): AsyncGenerator<readonly LogRecord[]> {
    const { reader } = this.#deps
    const { ends, range } = this.#extent
    if (range === undefined || from > range.last) return
    try {
      for await (const records of reader.groups(await reader.streamSequenceOf(from, ends), ends.last)) {
        const wanted = records.filter(({ sequence }) => sequence >= from)
        if (wanted.length > 0) yield wanted
      }
    } catch (error) {
      throw explained(error, this.name)
    }
  }

  publisher(after: number): RecordPublisher {
    const { connection, tail: reader, clock, log } = this.#deps
    const { name, description, ackTimeoutMs, resendTimeoutMs, retryDelayMs, tellsLoss } = this.#options
    this.#publisher?.abandon()
    this.#publisher = new NatsPublisher(
      {
        target: name,
        subjects: chainSubjects(description),
        maxDataBytes: connection.info!.max_payload - HEADER_ROOM,
        ackTimeoutMs,
        resendTimeoutMs,
        retryDelayMs,
        tellsLoss,
        lastSequence: after,
        lastStreamSequence: this.#extent.ends.last,
        created: this.#extent.ends.created,
      },
      { client: jetstream(connection), reader, clock, log },
    )
    return this.#publisher
  }

  takeSubmissions(submit: (raw: Bytes) => Promise<SubmitResult>): () => void {
    return this.#responder.subscribe(chainSubjects(this.#options.description).submit, async (raw) => {
      const result = await submit(raw)
      const reply = result.kind === 'refused' ? result : ({ kind: 'accepted', sequence: result.sequence } as const)
      return { type: 'submitted', id: 0, reply }
    })
  }

  takeRequests(answer: (request: LeaderRequest) => Promise<LeaderReply>): () => void {
    return this.#responder.subscribe(chainSubjects(this.#options.description).request, async (data) => {
      const message = decodeToServer(Buffer.from(data).toString())
      if (message.type !== 'request') throw new SourceError('MALFORMED', `a message of the type ${message.type}`)
      return { type: 'answered', id: 0, reply: await answer(message) }
    })
  }

  async close(): Promise<void> {
    this.#publisher?.close()
    await this.#deps.connection.close()
  }

  async #look(): Promise<void> {
    const { manager, reader, tail, clock } = this.#deps
    const ends = await tail.ends().catch(async (error: unknown) => {
      if (!isStreamGone(error)) throw error
      await findOrMakeStream(manager, this.#options.description, this.#options.limits)
      return reader.ends()
    })
    await reader.settle(ends, { clock, intervalMs: this.#options.retryDelayMs })
    this.#extent = { ends, range: await reader.range(ends) }
  }
}

/**
 * Retries a request while the servers elect a leader.
 *
 * @throws ReplicatedLogError; the reason of `signal`
 */
async function whenElected<Result>(
  request: () => Promise<Result>,
  { name, retryDelayMs }: { readonly name: string; readonly retryDelayMs: number },
  { clock, log, signal }: NatsLogDeps & { readonly signal: AbortSignal | undefined },
): Promise<Result> {
  const deadline = clock.monotonic() + MAX_ELECTION
  for (let isLogged = false; ; isLogged = true) {
    try {
      return await unlessAborted(request(), signal)
    } catch (error) {
      if (signal?.aborted === true || error instanceof ReplicatedLogError) throw error
      if (!isElecting(error) || clock.monotonic() >= deadline) throw unreachable(name, error as Error)
      if (!isLogged) log.warn({ target: name }, 'waiting for the NATS servers to agree on a leader')
      await unlessAborted(delay(retryDelayMs, clock), signal)
    }
  }
}

function unreachable(name: string, error: Error): ReplicatedLogError {
  return new ReplicatedLogError(
    'UNREACHABLE',
    `${name} cannot be used (${reasonOf(error)}): start a NATS server with JetStream there, or look at --nats`,
    { cause: error },
  )
}
