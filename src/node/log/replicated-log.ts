import { CodedError } from '../../primitives/coded-error.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import { StorageError } from '../../storage/storage-error.ts'
import type { SubmitResult } from '../core/results.ts'
import type { LeaderReply, LeaderRequest, StreamIdentity, StreamSettings } from './record-source.ts'

/** Description of the chain in a replicated log, for its followers. */
export interface ReplicatedLogDescription extends StreamIdentity {
  readonly settings: StreamSettings
}

export type ReplicatedLogErrorCode =
  | 'UNREACHABLE'
  /** The servers refuse the request; the message contains their reason. */
  | 'REFUSED'
  | 'FOREIGN_CHAIN'
  | 'INCOMPATIBLE'
  /** Another node leads: this one must not announce anything more. */
  | 'FENCED'
  /** The log lost records: all of them, or the end. */
  | 'LOST'
  /** This node no longer leads: its unacknowledged records are discarded. */
  | 'ABANDONED'
  /** The log and the local records do not overlap. */
  | 'GAP'
  | 'FORKED'

/** The replicated log cannot be used, temporarily or permanently; the message says what to do. */
export class ReplicatedLogError extends CodedError<ReplicatedLogErrorCode> {
  override readonly name = 'ReplicatedLogError'
}

const FAILED_WRITES: ReadonlySet<string> = new Set(['LOG_FAILED', 'COMMIT_FAILED'])

/**
 * Whether something may have been recorded although the write, its sync or the acknowledgement of the replicated log
 * failed: the next start shows it if it was (ADR 0003).
 */
export function isFailedWrite(error: unknown): error is Error {
  return error instanceof ReplicatedLogError || (error instanceof StorageError && FAILED_WRITES.has(error.code))
}

/** Publishes records to the replicated log. Records added while a publish is in flight form the next batch. */
export interface RecordPublisher {
  /** The newest acknowledged record. */
  readonly publishedSequence: number
  /** The target, and how long publishing has been stalled. */
  readonly condition: PublishingCondition
  /** Buffers a record; records are consecutive. */
  add(record: LogRecord): void
  /**
   * Resolves when all added records are acknowledged; waits while the servers are unreachable.
   *
   * @throws ReplicatedLogError `FENCED`, `ABANDONED`; nothing more is published then
   */
  flush(): Promise<void>
  /** Rejects every pending `flush`; records in flight may still be acknowledged. */
  abandon(): void
}

export interface PublishingCondition {
  readonly target: string
  readonly stalledForMs: number
}

/** Numbers of the oldest and the newest record. */
export interface RecordRange {
  readonly first: number
  readonly last: number
}

/** A log of records that several nodes share. Records that it lacks were never announced. */
export interface ReplicatedLog {
  readonly name: string
  /** Settings in the log's description when this node opened it; `undefined`: there was no log. */
  readonly settingsBefore: StreamSettings | undefined
  /** As of opening, or of the last `refresh`; `undefined`: the log is empty. */
  readonly range: RecordRange | undefined
  /**
   * Writes the description that was passed to `open`. Only the leader may call it.
   *
   * @throws ReplicatedLogError; the reason of `signal`
   */
  describe(signal?: AbortSignal): Promise<void>
  /** Reads the end of the log again. */
  refresh(): Promise<void>
  /** @throws ReplicatedLogError */
  record(sequence: number): Promise<Bytes | undefined>
  /** Reads from an existing record to the newest one of `range`. */
  read(from: number): AsyncIterable<readonly LogRecord[]>
  /** Publishes after a record: the newest one of `range`, if there is one. Abandons the previous publisher. */
  publisher(after: number): RecordPublisher
  /** Handles transactions that followers submit to the leader. Returns a function that ends it. */
  takeSubmissions(submit: (raw: Bytes) => Promise<SubmitResult>): () => void
  /** Answers JSON-RPC requests that followers forward to the leader. Returns a function that ends it. */
  takeRequests(answer: (request: LeaderRequest) => Promise<LeaderReply>): () => void
  close(): Promise<void>
}

export interface ReplicatedLogBackend {
  /**
   * Does not change an existing log.
   *
   * @param signal ends the wait for the log
   * @throws ReplicatedLogError; the reason of `signal`
   */
  open(description: ReplicatedLogDescription, signal?: AbortSignal): Promise<ReplicatedLog>
}
