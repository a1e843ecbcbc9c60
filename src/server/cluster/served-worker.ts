import type { ChildProcess } from 'node:child_process'
import type { ConnectedReader, RecordStream } from '../../replication/record-stream.ts'
import { encodeRecord } from '../../state/records/record.ts'
import type { ProcessChannel } from './channel.ts'
import type { FromWorker, ToWorker, WorkerRequests, WriterRequests } from './messages.ts'

/** Bytes of records per message. */
const MESSAGE_BYTES = 512 * 1024
/** Bytes of records that may be in transit to a worker or unapplied; the rest stays in the log files. */
const MAX_UNAPPLIED_BYTES = 4 * 2 ** 20
/** Records that are encoded in one step on the sequencer's thread. */
const POOL_RECORDS_PER_MESSAGE = 4

export type WorkerChannel = ProcessChannel<ToWorker, WorkerRequests, FromWorker, WriterRequests>

/** A worker process and its progress. */
export interface WorkerProcess {
  readonly number: number
  readonly process: ChildProcess
  readonly channel: WorkerChannel
  /** Time of its last message, counted by checks. */
  lastMessageAt: number
  /** `undefined` before `hello`. */
  served: ServedWorker | undefined
  /** It serves clients. */
  hasJoined: boolean
  isTracked: boolean
}

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
  /** Called when records that the worker needs have been deleted. */
  readonly onFailure: (error: unknown) => void
}

/** Streams records to one worker, at the pace at which it applies them. */
export class ServedWorker {
  readonly #options: ServedWorkerOptions
  readonly #deps: ServedWorkerDeps
  readonly #reader: ConnectedReader
  readonly #stopListening: () => void
  /** Messages in transit or unapplied: last record and bytes of each. */
  #unapplied: { readonly last: number; readonly bytes: number }[] = []
  #unappliedBytes = 0
  /** Newest record sent; `undefined` before the worker has read the log files. */
  #sent: number | undefined
  #applied = 0
  #isClosed = false
  /** Time of its last progress, or of when it was last idle. */
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

  /** Newest applied record; 0 before it has started. */
  get applied(): number {
    return this.#applied
  }

  /** Whether the worker needs records that the node no longer has. */
  get isAhead(): boolean {
    return (this.#sent ?? 0) > this.#deps.stream.newestSequence
  }

  /** Milliseconds without progress on sent records. */
  get stalledFor(): number {
    return this.#unapplied.length === 0 ? 0 : this.#deps.now() - this.#progressAt
  }

  /** Records the progress of the worker. */
  takeApplied(sequence: number): void {
    this.#applied = sequence
    this.#progressAt = this.#deps.now()
    // The worker has read the log files.
    this.#sent ??= sequence
    while (this.#unapplied[0] !== undefined && this.#unapplied[0].last <= sequence) {
      this.#unappliedBytes -= this.#unapplied.shift()!.bytes
    }
    this.#sendMore()
  }

  /** Releases the records retained for the worker. */
  close(): void {
    this.#isClosed = true
    this.#stopListening()
    this.#reader.close()
  }

  /** Sends the pool in several messages, then `begin`. */
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
      // The next message is sent when this one is in the pipe: a slow worker must not fill the memory of this process.
      channel.notify({ kind: 'pool', records }, undefined, () => nextRound(() => this.#begin()))
      return
    }
    const { worker, workers, directory, settings: own } = this.#options
    const handover = { directory, settings, from, to, poolSequence }
    channel.notify({ kind: 'begin', worker, workers, settings: own, handover })
  }

  /** Runs in the step in which records became durable: an error must not reach the sequencer. */
  #sendMore(): void {
    try {
      if (!this.#isClosed) this.#send()
    } catch (error) {
      this.#deps.onFailure(error)
    }
  }

  /** @throws StorageError when records that the worker needs are deleted */
  #send(): void {
    while (this.#sent !== undefined && this.#unappliedBytes < MAX_UNAPPLIED_BYTES) {
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
