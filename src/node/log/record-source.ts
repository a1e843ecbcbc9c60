import type { Bytes, Hash } from '../../primitives/hex.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import type { SubmitRefusal } from '../core/results.ts'

/** Identity of a chain, equal for all nodes that may follow each other. */
export interface StreamIdentity {
  readonly chainId: bigint
  readonly genesisHash: Hash
}

/** The newest record that a replica has. */
export interface Cursor {
  readonly sequence: number
  /** keccak-256 of the record's bytes: another history has another record there. */
  readonly hash: Hash
}

/** First message of a replica. */
export interface StreamHello extends StreamIdentity {
  /** Absent: the replica has no records, or starts anew. */
  readonly cursor: Cursor | undefined
  /** Its newest finalized block: a history without it is another one. */
  readonly finalized: { readonly number: number; readonly hash: Hash } | undefined
}

/** Settings of the leader that followers show or need. */
export interface StreamSettings {
  /** In milliseconds; the name is that of the stream protocol. */
  readonly blockTime: number
  /** Flashblocks of a block, the opening one besides. */
  readonly slots: number
  readonly gasLimit: bigint
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
}

/** Where the stream resumes: with records, or with a snapshot before them. */
export type ResumePoint =
  | { readonly kind: 'records'; readonly from: number }
  | {
      readonly kind: 'snapshot'
      /** The sealed block whose state comes. */
      readonly number: number
      readonly hash: Hash
      /** The first record after the snapshot. */
      readonly from: number
      /** The record as of which the pool is: later ones are not in it. */
      readonly poolSequence: number
    }

export interface StreamHandshake extends StreamIdentity {
  readonly settings: StreamSettings
  /** The oldest record that is kept, and the newest one. */
  readonly firstSequence: number
  readonly newestSequence: number
  readonly begins: ResumePoint
}

/** Messages after the welcome, in order. `records` may repeat or have gaps; the replica checks. */
export type StreamMessage =
  | { readonly kind: 'records'; readonly records: readonly LogRecord[] }
  /** As `SnapshotPart`. */
  | { readonly kind: 'part'; readonly bytes: Bytes }
  | { readonly kind: 'snapshotEnd' }
  /** The newest record of the followed node, and the newest one that was sent here. */
  | { readonly kind: 'newest'; readonly sequence: number; readonly sent: number }
  /** Something that is no message of a stream was passed over. */
  | { readonly kind: 'malformed' }

export type SubmitReply =
  /** `sequence`: of the record that holds it. */
  | { readonly kind: 'accepted'; readonly sequence: number }
  | { readonly kind: 'refused'; readonly hash: Hash | undefined; readonly refusal: SubmitRefusal }

export type SourceErrorCode =
  /** Another chain or another history: following it would withdraw what was announced. */
  | 'FOREIGN_CHAIN'
  | 'FORKED'
  /** It speaks another version. */
  | 'INCOMPATIBLE'
  /** It wants a token, or another one. */
  | 'NOT_ALLOWED'
  /** It has less than the replica, or too many replicas: later, perhaps. */
  | 'BEHIND'
  | 'BUSY'
  /** It does not reach back to the replica's cursor, and no source of snapshots is configured. */
  | 'SNAPSHOT_NEEDED'
  | 'UNREACHABLE'
  | 'CLOSED'
  | 'MALFORMED'
  | 'OVERSIZED'

/** A source cannot be followed, for now or for good. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code: SourceErrorCode

  constructor(code: SourceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Whether retrying is pointless without an operator. */
export function isFinal(code: SourceErrorCode): boolean {
  return code === 'FOREIGN_CHAIN' || code === 'FORKED' || code === 'INCOMPATIBLE' || code === 'SNAPSHOT_NEEDED'
}

/** An established stream. */
export interface RecordConnection {
  readonly handshake: StreamHandshake
  /** Called sequentially: backpressure bounds what the source sends ahead. */
  next(): Promise<StreamMessage>
  /**
   * Submits a signed transaction to the node that leads.
   *
   * @throws SourceError when it is unknown whether it was accepted
   */
  submit(raw: Bytes): Promise<SubmitReply>
  close(): void
}

/** A source of records, independent of the transport. */
export interface RecordSource {
  /** Display name. */
  readonly name: string
  /** @throws SourceError */
  connect(hello: StreamHello): Promise<RecordConnection>
}
