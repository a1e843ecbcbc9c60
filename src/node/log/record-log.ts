import type { Bytes } from '../../primitives/hex.ts'
import { type ChainRecord, decodeRecord, encodeRecord } from '../../state/records/record.ts'
import { heightOf, isChainChange, movesTip } from '../../state/records/record-kinds.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import type { SegmentLog } from '../../storage/segment-log.ts'
import type { SegmentReader } from '../../storage/segment-reader.ts'
import { isTransientError } from '../../storage/storage-error.ts'
import type { WorkMeter, WorkStep } from '../core/work-meter.ts'
import { BlockBeginnings } from './block-beginnings.ts'
import type { Journal, NumberedRecord } from './journal.ts'
import { RecordTail } from './record-tail.ts'
import type { PublishingCondition, RecordPublisher } from './replicated-log.ts'
import { firstNeededRecord, type SealedRange } from './retention.ts'

/** How far the store reaches when a node starts. */
interface StartingPoint {
  /** The newest stored block. */
  readonly stored: number
  /** The record from which on the records contain the whole pool; 0 if the store does not know it. */
  readonly poolCheckpoint: number
}

export interface RecordLogOptions {
  /** Minimum number of blocks whose records are retained. */
  readonly replayBlocks: number
  /** Minimum bytes of the newest records that are retained, for replicas that were away. Default: 0. */
  readonly replayWindowBytes?: number
}

/** Some seconds of a busy chain. */
const TAIL_BYTES = 2 * 2 ** 20
/** Records at the start of a file that are searched for a block number. */
const RECORDS_LOOKED_AT = 100

export interface RecordLogDeps {
  readonly log: SegmentLog
  /** Must acknowledge each record before it counts as durable. Default: the disk alone. */
  readonly publisher?: RecordPublisher | undefined
  /** Measures `sync` and `publish`. Default: nothing is measured. */
  readonly meter?: WorkMeter | undefined
  /** Milliseconds on the monotonic clock; needed with `meter`. */
  readonly now?: () => number
}

/** The node's write-ahead log: records in segment files, retained while they are needed. */
export class RecordLog implements Journal {
  readonly #options: RecordLogOptions
  readonly #log: SegmentLog
  readonly #measuring: Pick<RecordLogDeps, 'meter' | 'now'>
  #publisher: RecordPublisher | undefined
  readonly #tail = new RecordTail({ maxBytes: TAIL_BYTES })
  #notifiedSequence: number
  #sealed: (SealedRange & { readonly sealedBy: number })[] = []
  #openFirst = 0
  #beginnings = new BlockBeginnings()
  #poolCheckpoint = 0
  readonly #listeners = new Set<() => void>()
  /** Records from each `sequence` on are pinned by a reader. */
  readonly #pins = new Set<{ readonly sequence: number }>()

  constructor(options: RecordLogOptions, { log, publisher, ...measuring }: RecordLogDeps) {
    this.#options = options
    this.#log = log
    this.#measuring = measuring
    this.#publisher = publisher
    this.#notifiedSequence = this.durableSequence
  }

  /**
   * The records that a start needs, oldest first. Reading them also determines which records are needed. Records
   * retained only for replicas are skipped, so that they do not delay a start.
   */
  *read({ stored, poolCheckpoint }: StartingPoint): Iterable<NumberedRecord> {
    this.#sealed = []
    // If the log was truncated before the checkpoint, another record gets its number.
    this.#poolCheckpoint = poolCheckpoint > this.lastSequence ? 0 : poolCheckpoint
    const first = this.#firstNeeded(stored)
    if (first === undefined) return
    // A file may begin in the middle of a block.
    this.#openFirst = first
    for (const { sequence, payload } of this.#log.read(first)) {
      const record = decodeRecord(payload)
      this.#note(record, sequence)
      yield { sequence, record }
    }
  }

  append(record: ChainRecord): number {
    return this.appendEncoded(encodeRecord(record), record)
  }

  /** Appends an encoded record; keeps a reference to its bytes. */
  appendEncoded(payload: Bytes, record: ChainRecord): number {
    const sequence = this.#log.append(payload)
    this.#publisher?.add({ sequence, payload })
    this.#tail.add({ sequence, payload })
    this.#note(record, sequence)
    return sequence
  }

  async sync(): Promise<void> {
    const publisher = this.#publisher
    await Promise.all([
      this.#measure('sync', this.#log.sync()),
      publisher && this.#measure('publish', publisher.flush()),
    ])
    if (this.durableSequence <= this.#notifiedSequence) return
    this.#notifiedSequence = this.durableSequence
    for (const listener of this.#listeners) listener()
  }

  /** Measures how long work takes, unless it fails. */
  #measure(step: WorkStep, work: Promise<void>): Promise<void> {
    const { meter, now } = this.#measuring
    if (meter === undefined || now === undefined) return work
    const start = now()
    work.then(
      () => meter(step, now() - start),
      () => undefined,
    )
    return work
  }

  /** Replaces the publisher, which has all present records. `undefined`: the disk alone counts. */
  publishTo(publisher: RecordPublisher | undefined): void {
    this.#publisher = publisher
  }

  /** Rejects every pending `sync` of unpublished records. */
  abandonPublishing(): void {
    this.#publisher?.abandon()
  }

  /** Resolves when all earlier appends are durable on this disk. */
  syncHere(): Promise<void> {
    return this.#log.sync()
  }

  /** State of publishing; `undefined`: records are not published. */
  get publishing(): PublishingCondition | undefined {
    return this.#publisher?.condition
  }

  /** The newest record; one less than the first number if there is none. */
  get lastSequence(): number {
    return this.#log.lastSequence
  }

  /** The newest published record, on this disk or not. */
  get publishedSequence(): number {
    return this.#publisher?.publishedSequence ?? this.lastSequence
  }

  /** The newest record that is on disk and published: records up to it may be announced. */
  get durableSequence(): number {
    return Math.min(this.#log.durableSequence, this.#publisher?.publishedSequence ?? Number.POSITIVE_INFINITY)
  }

  /** The oldest retained record; `undefined` if no file has any. */
  get firstSequence(): number | undefined {
    return this.#log.firstSequence
  }

  /** A reader of the files. Records above `durableSequence` must not leave the node. */
  newReader(): SegmentReader {
    return this.#log.newReader()
  }

  /** Durable records from `from` on, if they are in memory; `undefined`: they are only in the files. */
  cached(from: number, maxBytes: number): readonly LogRecord[] | undefined {
    return this.#tail.read(from, this.durableSequence, maxBytes)
  }

  /** Calls the listener when records become durable. Returns a function that removes it. */
  onDurable(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Pins the records from `sequence` on until the returned function is called. */
  pin(sequence: number): () => void {
    const pin = { sequence }
    this.#pins.add(pin)
    return () => this.#pins.delete(pin)
  }

  /** Deletes all records; the next one gets the number `first`. */
  async reset(first: number): Promise<void> {
    this.#sealed = []
    this.#openFirst = 0
    this.#beginnings = new BlockBeginnings()
    this.#poolCheckpoint = first
    this.#tail.clear()
    await this.#log.reset(first)
    this.#notifiedSequence = this.durableSequence
  }

  /** Truncates the log after a published record. The others were never durable, so no reader has seen them. */
  async discardAfter(sequence: number): Promise<void> {
    await this.#log.sync()
    await this.#log.removeAfter(sequence)
    this.#tail.discardAfter(sequence)
    const reopened = this.#sealed.find(({ sealedBy }) => sealedBy > sequence)
    this.#sealed = this.#sealed.filter(({ sealedBy }) => sealedBy <= sequence)
    if (this.#openFirst > sequence) this.#openFirst = (reopened ?? this.#sealed.at(-1))?.firstSequence ?? 0
    // Pool records must be retained until the next pool checkpoint.
    if (this.#poolCheckpoint > sequence) this.#poolCheckpoint = 0
  }

  /** This record and later ones contain the whole pool; 0 if no such record is known. */
  get poolCheckpoint(): number {
    return this.#poolCheckpoint
  }

  /** The record must be durable. */
  set poolCheckpoint(sequence: number) {
    this.#poolCheckpoint = sequence
  }

  /** The record that sealed a block; `undefined` if it is not among the retained ones. */
  sealOf(number: number): number | undefined {
    return this.#sealed.findLast((sealed) => sealed.number === number)?.sealedBy
  }

  /** The first record of the oldest block above `stored`, sealed or open. */
  firstAbove(stored: number): number {
    return this.#sealed.find(({ number }) => number > stored)?.firstSequence ?? this.#openFirst
  }

  /** Deletes records that are not needed when the store has all blocks up to `stored`. */
  async retain(stored: number): Promise<void> {
    const { replayBlocks, replayWindowBytes } = this.#options
    const needed = firstNeededRecord({
      sealed: this.#sealed,
      stored,
      replayBlocks,
      poolCheckpoint: this.#poolCheckpoint,
    })
    this.#sealed = this.#sealed.filter(({ firstSequence }) => firstSequence >= needed)
    const pinned = Math.min(...Array.from(this.#pins, ({ sequence }) => sequence))
    await this.#log.removeBefore(Math.min(needed, pinned), replayWindowBytes).catch((error: unknown) => {
      // The next stored block tries again.
      if (!isTransientError(error)) throw error
    })
  }

  /** The start of the newest file that begins before the pool checkpoint and before the blocks of the replay window. */
  #firstNeeded(stored: number): number | undefined {
    const isEarlyEnough = (first: number) =>
      first <= this.#poolCheckpoint &&
      (this.#blockAt(first) ?? Number.POSITIVE_INFINITY) < stored - this.#options.replayBlocks
    const starts = this.#log.fileStarts()
    return starts.findLast(isEarlyEnough) ?? starts[0]
  }

  /** The first block number in a file. */
  #blockAt(first: number): number | undefined {
    for (const { payload } of this.#log.read(first, first + RECORDS_LOOKED_AT)) {
      const record = decodeRecord(payload)
      if (isChainChange(record)) return heightOf(record)
    }
    return undefined
  }

  #note(record: ChainRecord, sequence: number): void {
    if (this.#beginnings.take(record) !== undefined) this.#openFirst = sequence
    if (!movesTip(record)) return
    switch (record.kind) {
      case 'seal':
        this.#sealed.push({ number: record.number, firstSequence: this.#openFirst, sealedBy: sequence })
        break
      case 'unwind':
        this.#sealed = this.#sealed.filter(({ number }) => number <= record.number)
        break
      default:
        record satisfies never
    }
  }
}
