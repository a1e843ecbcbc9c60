import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import {
  type RecordConnection,
  type RecordSource,
  SourceError,
  type SourceErrorCode,
  type StreamHandshake,
  type StreamHello,
} from '../../node/log/record-source.ts'
import { type ReplicatedLogDescription, ReplicatedLogError } from '../../node/log/replicated-log.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { decodeRecord } from '../../state/records/record.ts'
import { beginsWithBlock1 } from '../../state/records/record-kinds.ts'
import { NatsConsumption } from './nats-consumption.ts'
import { reasonOf } from './nats-failure.ts'
import { connectNats, type NatsTiming, natsName } from './nats-servers.ts'
import { chainSubjects, findStream, otherChains } from './nats-stream.ts'
import { SnapshotHandover } from './snapshot-handover.ts'
import { StreamReader } from './stream-reader.ts'

export interface NatsSourceOptions extends NatsTiming {
  /** Comma-separated. */
  readonly urls: string
  /** Maximum bytes of records published together. */
  readonly maxRecordBytes: number
  /** Timeout in milliseconds of a transaction or request that is sent to the leader. */
  readonly leaderTimeoutMs: number
  /** Milliseconds between requests for the end of the stream. */
  readonly newestIntervalMs: number
}

export interface NatsSourceDeps {
  readonly log: Pick<Logger, 'warn'>
  /** Sends a snapshot if the stream does not reach back far enough. */
  readonly snapshots: RecordSource | undefined
}

/** Reads the records that a leader publishes to a stream. */
export class NatsSource implements RecordSource {
  readonly name: string
  readonly #options: NatsSourceOptions
  readonly #deps: NatsSourceDeps

  constructor(options: NatsSourceOptions, deps: NatsSourceDeps) {
    this.name = natsName(options.urls)
    this.#options = options
    this.#deps = deps
  }

  async connect(hello: StreamHello): Promise<RecordConnection> {
    const connection = await connectNats(this.#options.urls, this.#options, false).catch((error: Error) => {
      throw this.#unreachable(error)
    })
    try {
      return await this.#begin(connection, hello)
    } catch (error) {
      await connection.close()
      if (error instanceof SourceError) throw error
      if (!(error instanceof ReplicatedLogError)) throw this.#unreachable(error as Error)
      if (error.code === 'FOREIGN_CHAIN' || error.code === 'INCOMPATIBLE') {
        throw new SourceError(error.code, error.message, { cause: error })
      }
      throw this.#unreachable(error)
    }
  }

  async #begin(connection: NatsConnection, hello: StreamHello): Promise<RecordConnection> {
    const { maxRecordBytes, requestTimeoutMs: timeout } = this.#options
    const { log, snapshots } = this.#deps
    // Whether JetStream is enabled is known only to the meta leader, which an existing stream does not need.
    const manager = await jetstreamManager(connection, { timeout, checkAPI: false })
    const { description } = (await findStream(manager, hello)) ?? (await this.#refuseMissing(manager, hello))
    const subjects = chainSubjects(hello)
    const reader = new StreamReader({ maxBytes: maxRecordBytes }, { manager, stream: subjects.stream })
    const resumePoint = await admitToStream(hello, reader)
    const consumption = new NatsConsumption(
      { ...this.#options, name: this.name, subjects },
      { connection, client: jetstream(connection, { timeout, checkAPI: false }), reader, log },
    )
    const handshake = { ...description, ...resumePoint.range }
    switch (resumePoint.kind) {
      case 'refused':
        throw new SourceError(resumePoint.code, resumePoint.message)
      case 'records':
        await consumption.start(resumePoint.from)
        return consumption.connection({ ...handshake, begins: { kind: 'records', from: resumePoint.from } })
      case 'snapshot':
        return this.#handover(consumption, handshake, snapshots, hello)
    }
  }

  async #handover(
    consumption: NatsConsumption,
    handshake: Omit<StreamHandshake, 'begins'>,
    snapshots: RecordSource | undefined,
    hello: StreamHello,
  ): Promise<RecordConnection> {
    if (snapshots === undefined) {
      throw new SourceError(
        'SNAPSHOT_NEEDED',
        `${this.name} keeps records from ${handshake.firstSequence} on, which is too late for this replica: ` +
          `name a node that gives a snapshot, as in --snapshot-from ws://10.0.0.1:8545/replica`,
      )
    }
    const giver = await snapshots.connect({ ...hello, cursor: undefined })
    return new SnapshotHandover(handshake, { giver, consumption })
  }

  async #refuseMissing(
    manager: JetStreamManager,
    hello: StreamHello,
  ): Promise<{ description: ReplicatedLogDescription }> {
    const others = await otherChains(manager, hello)
    if (others.length === 0) {
      throw new SourceError('UNREACHABLE', `${this.name} has no records yet: start a node with --nats ${this.name}`)
    }
    throw new SourceError(
      'FOREIGN_CHAIN',
      `${this.name} has records of other chains only (${others.join(', ')}): start the replica with the ` +
        `same --network and genesis flags as the node, and the node first`,
    )
  }

  #unreachable(error: Error): SourceError {
    return new SourceError('UNREACHABLE', `${this.name} cannot be read (${reasonOf(error)})`, { cause: error })
  }
}

/** Records at the start of a stream that may precede the first opening of a block. */
const RECORDS_LOOKED_AT = 1_000

/** `range` is empty if the stream is. */
type NatsResumePoint = {
  readonly range: { readonly firstSequence: number; readonly newestSequence: number }
} & (
  | { readonly kind: 'records'; readonly from: number }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'refused'; readonly code: SourceErrorCode; readonly message: string }
)

/**
 * Decides where a replica resumes in a stream, or why it is refused: the stream must contain its newest record.
 * `UNREACHABLE`: a former leader of the stream may have answered without the record, so the replica tries again.
 */
export async function admitToStream(
  { cursor }: Pick<StreamHello, 'cursor'>,
  reader: Pick<StreamReader, 'ends' | 'range' | 'record' | 'groups'>,
): Promise<NatsResumePoint> {
  const ends = await reader.ends()
  const { first, last } = (await reader.range(ends)) ?? { first: 1, last: 0 }
  const range = { firstSequence: first, newestSequence: last }
  if (cursor === undefined) {
    return (await reachesGenesis(reader, first)) ? { kind: 'records', from: first, range } : { kind: 'snapshot', range }
  }
  if (cursor.sequence > last) {
    const message = `the replica has record ${cursor.sequence}, which is not there yet`
    return { kind: 'refused', code: 'BEHIND', message, range }
  }
  if (cursor.sequence < first) return { kind: 'snapshot', range }
  const record = await reader.record(cursor.sequence, ends)
  if (record === undefined) {
    const message = `record ${cursor.sequence}, the newest one of the replica, cannot be read from the stream now`
    return { kind: 'refused', code: 'UNREACHABLE', message, range }
  }
  if (keccakHash(record) === cursor.hash) return { kind: 'records', from: cursor.sequence + 1, range }
  const message =
    `the replica's history is not this stream's: record ${cursor.sequence} is another one. If ` +
    `the stream is the right one, remove the replica's data directory and start it again`
  return { kind: 'refused', code: 'FORKED', message, range }
}

async function reachesGenesis(reader: Pick<StreamReader, 'ends' | 'groups'>, oldest: number): Promise<boolean> {
  const ends = await reader.ends()
  for await (const records of reader.groups(ends.first, ends.last)) {
    for (const { sequence, payload } of records) {
      const begins = beginsWithBlock1(decodeRecord(payload))
      if (begins !== undefined) return begins
      if (sequence > oldest + RECORDS_LOOKED_AT) return false
    }
  }
  // No block is open yet: the stream has every record of the chain if it begins with the first one.
  return oldest === 1
}
