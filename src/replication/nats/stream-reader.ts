import type { JetStreamManager } from '@nats-io/jetstream'
import type { Clock } from '../../node/core/clock.ts'
import type { RecordRange } from '../../node/log/replicated-log.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import { FormerLeaderError } from './nats-failure.ts'
import { delay } from './nats-servers.ts'
import { MESSAGE_ID } from './nats-stream.ts'
import { GroupAssembler, type GroupPart, readGroupPart } from './record-groups.ts'

/** A message with its position in the stream. */
export interface PlacedMessage {
  /** Stream sequence number, which is not that of a record. */
  readonly streamSequence: number
  readonly part: GroupPart | undefined
  readonly messageId: string
  readonly data: Bytes
}

/** The oldest and the newest position; `last` is `first` - 1 in an empty stream. */
export interface StreamEnds {
  readonly first: number
  readonly last: number
}

export interface StreamState extends StreamEnds {
  /** Creation time of the stream, which distinguishes streams of the same name. */
  readonly created: string
}

export interface StreamReaderDeps {
  readonly manager: JetStreamManager
  readonly stream: string
}

/** Milliseconds in which a former leader of the stream that is reachable learns that it is one: two heartbeats. */
const SETTLE_MS = 2_000

interface SettleOptions {
  readonly clock: Clock
  /** Milliseconds between two reads. */
  readonly intervalMs: number
}

/** Reads records of a stream by sequence number, from the stream leader, not from copies. */
export class StreamReader {
  readonly #options: { readonly maxBytes: number }
  readonly #deps: StreamReaderDeps
  /** The newest position of the stream whose message was read, and the creation time of the stream. */
  #newestRead = { position: 0, created: '' }

  /** @param options.maxBytes maximum bytes of records published together */
  constructor(options: { readonly maxBytes: number }, deps: StreamReaderDeps) {
    this.#options = options
    this.#deps = deps
  }

  async ends(): Promise<StreamState> {
    const { manager, stream } = this.#deps
    const { state, created } = await manager.streams.info(stream)
    this.#heed(created, state.first_seq)
    // A new stream reports 0 and 0.
    return { first: Math.max(1, state.first_seq), last: state.last_seq, created }
  }

  /**
   * Waits until the newest position has a message, and is not below one that was read before. A former leader of the
   * stream may answer some requests after the new one has, and lacks the newest messages. A position stays empty only
   * if the leader has passed it over, and the end stays lower only if the stream has lost messages.
   */
  async settle({ first, last }: StreamEnds, { clock, intervalMs }: SettleOptions): Promise<void> {
    const begun = clock.monotonic()
    const isMissing = async () => last >= first && (await this.#get(last)) === undefined
    const isShort = async () => last < this.#newestRead.position && (await this.ends()).last < this.#newestRead.position
    while (((await isMissing()) || (await isShort())) && clock.monotonic() - begun < SETTLE_MS) {
      await delay(intervalMs, clock)
    }
    if (last < this.#newestRead.position) this.#newestRead = { ...this.#newestRead, position: last }
  }

  /**
   * The message at a position; `undefined`: it was deleted, or the leader has passed the position over.
   *
   * @throws FormerLeaderError
   */
  async message(streamSequence: number): Promise<PlacedMessage | undefined> {
    const { position: newest } = this.#newestRead
    const found = await this.#get(streamSequence)
    if (found !== undefined || streamSequence > newest) return found
    // A former leader of the stream lacks all newer messages as well.
    if ((await this.#get(newest)) === undefined) throw new FormerLeaderError(`the stream lacks message ${newest}`)
    return this.#get(streamSequence)
  }

  /** Forgets a message that the stream no longer has: another stream has its name, or its limits deleted it. */
  #heed(created: string, first: number): void {
    const { position, created: known } = this.#newestRead
    if (created !== known || position < first) this.#newestRead = { position: 0, created }
  }

  async #get(streamSequence: number): Promise<PlacedMessage | undefined> {
    const { manager, stream } = this.#deps
    const found = await manager.streams.getMessage(stream, { seq: streamSequence })
    if (found === null) return undefined
    const { position, created } = this.#newestRead
    this.#newestRead = { position: Math.max(position, streamSequence), created }
    const header = (name: string) => found.header?.get(name)
    return { streamSequence, part: readGroupPart(header), messageId: header(MESSAGE_ID) ?? '', data: found.data }
  }

  /** Complete groups from a position on, oldest first. */
  async *groups(from: number, to: number): AsyncGenerator<readonly LogRecord[]> {
    const assembler = new GroupAssembler(this.#options)
    for (let streamSequence = from; streamSequence <= to; streamSequence += 1) {
      const message = await this.message(streamSequence)
      if (message === undefined) continue
      const assembled = assembler.take(message.part, message.data)
      if (assembled.kind === 'records') yield assembled.records
    }
  }

  /** Numbers of the oldest and the newest record. */
  async range({ first, last, created }: StreamState): Promise<RecordRange | undefined> {
    this.#heed(created, first)
    const newest = await this.#newest(first, last)
    if (newest === undefined) return undefined
    for await (const records of this.groups(first, last)) return { first: records[0]!.sequence, last: newest }
    return undefined
  }

  /** The first position at or after which a record is found; last + 1 if only the next one can be it. */
  async streamSequenceOf(sequence: number, { first, last }: StreamEnds): Promise<number> {
    let [low, high] = [first, last + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const message = await this.#oursFrom(middle, high)
      if (message === undefined || message.part.last >= sequence) high = middle
      else low = message.streamSequence + 1
    }
    return low
  }

  async record(sequence: number, ends: StreamEnds): Promise<Bytes | undefined> {
    const from = await this.streamSequenceOf(sequence, ends)
    for await (const records of this.groups(from, ends.last)) {
      const found = records.find((record) => record.sequence === sequence)
      if (found !== undefined) return found.payload
      if (records[0]!.sequence > sequence) return undefined
    }
    return undefined
  }

  /** The last complete group. */
  async #newest(first: number, last: number): Promise<number | undefined> {
    for (let streamSequence = last; streamSequence >= first; streamSequence -= 1) {
      const part = (await this.message(streamSequence))?.part
      if (part === undefined || part.part < part.parts) continue
      const begin =
        part.parts === 1 ? streamSequence : await this.streamSequenceOf(part.first, { first, last: streamSequence })
      for await (const records of this.groups(begin, streamSequence)) {
        if (records.at(-1)!.sequence === part.last) return part.last
      }
    }
    return undefined
  }

  /** Messages of other programs are skipped. */
  async #oursFrom(
    streamSequence: number,
    end: number,
  ): Promise<(PlacedMessage & { readonly part: GroupPart }) | undefined> {
    for (let next = streamSequence; next < end; next += 1) {
      const message = await this.message(next)
      if (message?.part !== undefined) return { ...message, part: message.part }
    }
    return undefined
  }
}
