import type { FollowingReader, RecordStream } from '../../replication/record-stream.ts'
import { encodeRecord } from '../../state/record.ts'
import type { ProcessChannel } from './channel.ts'
import type { FromWorker, ToWorker, WorkerRequests, WriterRequests } from './messages.ts'

/** Records of one message, in bytes. */
const MESSAGE_BYTES = 512 * 1024
/** Bytes of records that a worker may have on their way to it, or not applied; those after them stay in the files. */
const MAX_UNAPPLIED = 4 * 2 ** 20
/** Encoded in one piece; the sequencer shares this thread. */
const POOL_RECORDS_PER_MESSAGE = 4

export type WorkerChannel = ProcessChannel<ToWorker, WorkerRequests, FromWorker, WriterRequests>

export interface ServedWorkerOptions {
  readonly worker: number
  readonly workers: number
  readonly settings: unknown
  readonly directory: string
}

export interface ServedWorkerDeps {
  readonly channel: Pick<WorkerChannel, 'notify'>
  readonly stream: RecordStream
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  readonly nextRound: (action: () => void) => void
  /** It cannot be served: records are gone that it should be sent. */
  readonly onFailure: (error: unknown) => void
}

/** What one worker is told of the chain, as quickly as it applies it. */
export class ServedWorker {
  readonly #options: ServedWorkerOptions
  readonly #deps: ServedWorkerDeps
  readonly #reader: FollowingReader
  readonly #stopListening: () => void
  /** On their way, or not applied: the last record of each message, and its bytes. */
  #unapplied: { readonly last: number; readonly bytes: number }[] = []
  #unappliedBytes = 0
  /** The newest record that was sent; `undefined` before the worker has read what is in the files. */
  #sent: number | undefined
  #applied = 0
  #isClosed = false
  /** When it was seen to go on, or had nothing to do. */
  #progressAt: number

  constructor(options: ServedWorkerOptions, deps: ServedWorkerDeps) {
    this.#options = options
    this.#deps = deps
    const { stream, now } = deps
    this.#reader = stream.beginReader()
    this.#stopListening = stream.onMore(() => this.#sendMore())
    this.#progressAt = now()
    this.#begin()
  }

  /** The newest record that it shows; 0 before it has begun. */
  get applied(): number {
    return this.#applied
  }

  /** Whether it was sent records that the node does not have any more. */
  get isAhead(): boolean {
    return (this.#sent ?? 0) > this.#deps.stream.newestSequence
  }

  /** Milliseconds for which it has left records that it was sent where they are. */
  get stalledFor(): number {
    return this.#unapplied.length === 0 ? 0 : this.#deps.now() - this.#progressAt
  }

  /** It says how far it is. */
  takeApplied(sequence: number): void {
    this.#applied = sequence
    this.#progressAt = this.#deps.now()
    // It has read what it found in the files.
    this.#sent ??= sequence
    while (this.#unapplied[0] !== undefined && this.#unapplied[0].last <= sequence) {
      this.#unappliedBytes -= this.#unapplied.shift()!.bytes
    }
    this.#sendMore()
  }

  /** Gives back what is kept for it. */
  close(): void {
    this.#isClosed = true
    this.#stopListening()
    this.#reader.close()
  }

  /** The pool first, in pieces, then where to begin. */
  #begin(): void {
    if (this.#isClosed) return
    const { channel, nextRound } = this.#deps
    const { pool, settings, from, to, poolSequence } = this.#reader
    const records: Uint8Array[] = []
    while (records.length < POOL_RECORDS_PER_MESSAGE) {
      const next = pool.next()
      if (next.done === true) break
      records.push(encodeRecord(next.value))
    }
    if (records.length > 0) {
      // The next piece when this one is in the pipe: a worker that reads slowly must not fill the memory here.
      channel.notify({ kind: 'pool', records }, undefined, () => nextRound(() => this.#begin()))
      return
    }
    const { worker, workers, directory, settings: own } = this.#options
    const beginning = { directory, settings, from, to, poolSequence }
    channel.notify({ kind: 'begin', worker, workers, settings: own, beginning })
  }

  /** In the step in which records became durable: nothing that goes wrong here is the sequencer's. */
  #sendMore(): void {
    try {
      if (!this.#isClosed) this.#send()
    } catch (error) {
      this.#deps.onFailure(error)
    }
  }

  /** @throws StorageError when records are gone that it should be sent */
  #send(): void {
    while (this.#sent !== undefined && this.#unappliedBytes < MAX_UNAPPLIED) {
      const records = this.#reader.read(this.#sent + 1, MESSAGE_BYTES)
      if (records.length === 0) return
      if (this.#unapplied.length === 0) this.#progressAt = this.#deps.now()
      const first = records[0]!.sequence
      const last = records.at(-1)!.sequence
      const payloads = records.map(({ payload }) => payload)
      const bytes = payloads.reduce((sum, { length }) => sum + length, 0)
      this.#sent = last
      this.#unapplied.push({ last, bytes })
      this.#unappliedBytes += bytes
      this.#deps.channel.notify({ kind: 'records', first, records: payloads })
    }
  }
}
