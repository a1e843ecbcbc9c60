import type { ChainRecord } from '../../state/records/record.ts'

/** The write-ahead log as a leader uses it. */
export interface Journal {
  /** Returns the record's sequence number; the record is durable after the next `sync`. */
  append(record: ChainRecord): number
  /** Resolves when everything appended before is durable. Overlapping calls share one sync. */
  sync(): Promise<void>
  /** The newest appended record: the next one gets the number after it. */
  readonly lastSequence: number
  /** The newest record that can no longer be lost: records up to it may be announced. */
  readonly durableSequence: number
}

export interface NumberedRecord {
  readonly sequence: number
  readonly record: ChainRecord
}
