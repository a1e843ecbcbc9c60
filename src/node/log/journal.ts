import type { ChainRecord } from '../../state/record.ts'

/** The write-ahead log as the node uses it. */
export interface Journal {
  /** Gives the record its number; it is durable after the next `sync`. */
  append(record: ChainRecord): number
  /** Settles when everything appended before is durable. Calls that overlap share one (design section 4). */
  sync(): Promise<void>
  /** The newest record that can no longer be lost: what others may be told. */
  readonly durableSequence: number
}

export interface NumberedRecord {
  readonly sequence: number
  readonly record: ChainRecord
}
