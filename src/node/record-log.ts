import { type ChainRecord, decodeRecord, encodeRecord } from '../state/record.ts'
import type { SegmentLog } from '../storage/segment-log.ts'
import type { Journal } from './journal.ts'
import type { NumberedRecord } from './recovery.ts'
import { firstNeededRecord, type SealedRange } from './retention.ts'

export interface RecordLogOptions {
  /** Blocks whose records are kept at least. */
  readonly replayBlocks: number
}

/** The node's records in the segment log, and which of them are still needed. */
export class RecordLog implements Journal {
  readonly #options: RecordLogOptions
  readonly #log: SegmentLog
  #sealed: SealedRange[] = []
  #openFirst = 0
  #poolCheckpoint = 0

  constructor(options: RecordLogOptions, parts: { readonly log: SegmentLog }) {
    this.#options = options
    this.#log = parts.log
  }

  /** All records kept, oldest first; reading them tells the log which are needed. */
  *read(): Iterable<NumberedRecord> {
    this.#sealed = []
    const first = this.#log.firstSequence
    if (first === undefined) return
    for (const { sequence, payload } of this.#log.read(first)) {
      const record = decodeRecord(payload)
      this.#note(record, sequence)
      yield { sequence, record }
    }
  }

  append(record: ChainRecord): number {
    const sequence = this.#log.append(encodeRecord(record))
    this.#note(record, sequence)
    return sequence
  }

  sync(): Promise<void> {
    return this.#log.sync()
  }

  /** Everything waiting in the pool is in this record and those after it. */
  poolCheckpoint(sequence: number): void {
    this.#poolCheckpoint = sequence
  }

  /** The first record of the oldest block above `stored`, sealed or open. */
  firstAbove(stored: number): number {
    return this.#sealed.find(({ number }) => number > stored)?.firstSequence ?? this.#openFirst
  }

  /** Drops what is not needed any more when the store has all blocks up to `stored`. */
  async retain(stored: number): Promise<void> {
    const { replayBlocks } = this.#options
    const needed = firstNeededRecord({
      sealed: this.#sealed,
      stored,
      replayBlocks,
      poolCheckpoint: this.#poolCheckpoint,
    })
    this.#sealed = this.#sealed.filter(({ firstSequence }) => firstSequence >= needed)
    await this.#log.removeBefore(needed)
  }

  #note(record: ChainRecord, sequence: number): void {
    switch (record.kind) {
      case 'flashblock':
        if (record.index === 0) this.#openFirst = sequence
        break
      case 'seal':
        this.#sealed.push({ number: record.number, firstSequence: this.#openFirst })
        break
      case 'unwind':
        this.#sealed = this.#sealed.filter(({ number }) => number <= record.number)
        break
      case 'pool':
        break
    }
  }
}
