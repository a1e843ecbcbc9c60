import type { Bytes, Hash } from '../../primitives/hex.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import type { SubmitRefusal } from '../core/results.ts'

/** Which chain it is; the same for all who may follow each other. */
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

/** What a replica says of itself. */
export interface Greeting extends StreamIdentity {
  /** Absent: it has nothing, or wants to begin anew. */
  readonly cursor: Cursor | undefined
  /** Its newest finalized block: no history without it is the same one. */
  readonly finalized: { readonly number: number; readonly hash: Hash } | undefined
}

/** Settings of the followed node that readers show or need. */
export interface StreamSettings {
  /** Milliseconds. */
  readonly blockTime: number
  /** Flashblocks of a block, the opening one besides. */
  readonly slots: number
  readonly gasLimit: bigint
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
}

/** What follows the welcome: records only, or first a snapshot. */
export type StreamBeginning =
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

export interface Welcome extends StreamIdentity {
  readonly settings: StreamSettings
  /** The oldest record that is kept, and the newest one. */
  readonly firstSequence: number
  readonly newestSequence: number
  readonly begins: StreamBeginning
}

/** What comes after the welcome, in order; `records` may come again, or with gaps: whoever applies them checks. */
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
  /** It does not reach back to what the replica has, and nobody was named who gives a snapshot. */
  | 'SNAPSHOT_NEEDED'
  | 'UNREACHABLE'
  | 'CLOSED'
  | 'MALFORMED'
  | 'OVERSIZED'

/** Nothing can be had from a source, for now or for good. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code: SourceErrorCode

  constructor(code: SourceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** No attempt will ever end otherwise: somebody has to change something. */
export function isFinal(code: SourceErrorCode): boolean {
  return code === 'FOREIGN_CHAIN' || code === 'FORKED' || code === 'INCOMPATIBLE' || code === 'SNAPSHOT_NEEDED'
}

/** A stream that was begun. */
export interface RecordConnection {
  readonly welcome: Welcome
  /** Asked for one after the other: whoever applies slowly is sent no more than a bounded number of bytes ahead. */
  next(): Promise<StreamMessage>
  /**
   * Hands a signed transaction to the node that sequences.
   *
   * @throws SourceError when it is not known whether it was taken
   */
  submit(raw: Bytes): Promise<SubmitReply>
  close(): void
}

/** Where records come from, whatever carries them. */
export interface RecordSource {
  /** How people call it. */
  readonly name: string
  /** @throws SourceError */
  connect(greeting: Greeting): Promise<RecordConnection>
}
