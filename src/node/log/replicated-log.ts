import type { Bytes } from '../../primitives/hex.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import type { SubmitResult } from '../core/results.ts'
import type { StreamIdentity, StreamSettings } from './record-source.ts'

/** What a shared log says of its chain, for those who follow. */
export interface ReplicatedLogDescription extends StreamIdentity {
  readonly settings: StreamSettings
}

export type ReplicatedLogErrorCode =
  | 'UNREACHABLE'
  /** Whoever keeps it refuses to, in these words. */
  | 'REFUSED'
  | 'FOREIGN_CHAIN'
  | 'INCOMPATIBLE'
  /** Another node goes on with the chain: this one must not announce anything more. */
  | 'FENCED'
  /** What was stored is gone: all of it, or the end. */
  | 'LOST'
  /** This node does not make blocks any more: what it had not stored by then it gave up. */
  | 'ABANDONED'
  /** It begins or ends where the records here do not go on. */
  | 'GAP'
  | 'FORKED'

/** Records cannot be shared, for now or for good; the message says what to do. */
export class ReplicatedLogError extends Error {
  override readonly name = 'ReplicatedLogError'
  readonly code: ReplicatedLogErrorCode

  constructor(code: ReplicatedLogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Stores records where others find them. Like the log on disk, what is added while it is busy goes together. */
export interface RecordPublisher {
  /** The newest record that is stored there. */
  readonly publishedSequence: number
  /** Where to, and for how many milliseconds it has not been possible; 0: it is. */
  readonly condition: PublishingCondition
  /** Buffers a record; they follow each other without gaps. */
  add(record: LogRecord): void
  /**
   * Settles when everything added before is stored; while that cannot be done it does not settle.
   *
   * @throws ReplicatedLogError `FENCED`, `ABANDONED`; nothing more is stored then
   */
  flush(): Promise<void>
  /** Whoever waits in `flush` is told at once; what was on its way may be stored nevertheless. */
  abandon(): void
}

export interface PublishingCondition {
  readonly target: string
  readonly stalledFor: number
}

/** The numbers of the oldest and the newest record. */
export interface RecordRange {
  readonly first: number
  readonly last: number
}

/** A log of records that several nodes share (design claim 3): what is not in it was announced to nobody. */
export interface ReplicatedLog {
  readonly name: string
  /** What was said of the chain when this node opened the log; `undefined`: nothing. */
  readonly settingsBefore: StreamSettings | undefined
  /** As of opening, or of the last `refresh`; `undefined`: none. */
  readonly range: RecordRange | undefined
  /**
   * Says of the chain what `open` was given, for those who follow: whoever publishes does, and nobody else.
   *
   * @throws ReplicatedLogError when it could not be said; the reason of `signal`
   */
  describe(signal?: AbortSignal): Promise<void>
  /** Looks at the end again. */
  refresh(): Promise<void>
  /** @throws ReplicatedLogError */
  record(sequence: number): Promise<Bytes | undefined>
  /** From a record that is there to the newest one of `range`. */
  read(from: number): AsyncIterable<readonly LogRecord[]>
  /** Goes on after a record: the newest one of `range`, if there is one. The publisher before is abandoned. */
  publisher(after: number): RecordPublisher
  /** Answers those who hand transactions to whoever publishes. Gives a function that ends it. */
  takeSubmissions(submit: (raw: Bytes) => Promise<SubmitResult>): () => void
  close(): Promise<void>
}

export interface ReplicatedLogBackend {
  /**
   * Changes nothing of a log that is there.
   *
   * @param signal ends waiting for it
   * @throws ReplicatedLogError; the reason of `signal`
   */
  open(description: ReplicatedLogDescription, signal?: AbortSignal): Promise<ReplicatedLog>
}
