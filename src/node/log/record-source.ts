import type { SubmitRefusal } from '../../chain/transaction/refusal.ts'
import { CodedError } from '../../primitives/coded-error.ts'
import type { Bytes, Hash } from '../../primitives/hex.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'

/** Identity of a chain, equal for all nodes that may follow each other. */
export interface StreamIdentity {
  readonly chainId: bigint
  readonly genesisHash: Hash
}

/** The newest record of a replica. */
export interface Cursor {
  readonly sequence: number
  /** keccak-256 of the record's bytes: in another history, the record differs. */
  readonly hash: Hash
}

/** First message of a replica. */
export interface StreamHello extends StreamIdentity {
  /** Absent: the replica has no records, or starts from the beginning. */
  readonly cursor: Cursor | undefined
  /** Its newest finalized block: a history without it must not be followed. */
  readonly finalized: { readonly number: number; readonly hash: Hash } | undefined
}

/** The leader's settings that followers show or need. */
export interface StreamSettings {
  /** In milliseconds; the name is that of the stream protocol. */
  readonly blockTime: number
  /** Flashblocks per block, without index 0. */
  readonly slots: number
  readonly gasLimit: bigint
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
  /** Maximum bytes of code. Absent: that of EIP-170. */
  readonly codeSizeLimit?: number | undefined
  /** Profile of the chain. Absent: `flashblocks`. */
  readonly profile?: string | undefined
  /** Activation of Denim in Unix seconds, where the chain schedules it. */
  readonly denimTime?: number | undefined
  /** Fork schedule as of `forkActivations`. Absent: the leader is older. */
  readonly forks?: string | undefined
}

/** Where the stream resumes: at a record, or with a snapshot before one. */
export type ResumePoint =
  | { readonly kind: 'records'; readonly from: number }
  | {
      readonly kind: 'snapshot'
      /** Number of the sealed block of the snapshot. */
      readonly number: number
      readonly hash: Hash
      /** The first record after the snapshot. */
      readonly from: number
      /** The record as of which the pool is transferred: it contains no later ones. */
      readonly poolSequence: number
    }

export interface StreamHandshake extends StreamIdentity {
  readonly settings: StreamSettings
  /** The oldest retained record, and the newest one. */
  readonly firstSequence: number
  readonly newestSequence: number
  readonly begins: ResumePoint
}

/** Messages after the handshake, in order. `records` may repeat or have gaps; the replica checks. */
export type StreamMessage =
  | { readonly kind: 'records'; readonly records: readonly LogRecord[] }
  /** As `SnapshotPart`. */
  | { readonly kind: 'part'; readonly bytes: Bytes }
  | { readonly kind: 'snapshotEnd' }
  /**
   * `sequence`: newest record of the followed node. `sent`: newest record sent to this replica. `isOnDemand`: the
   * leader builds blocks on demand.
   */
  | {
      readonly kind: 'newest'
      readonly sequence: number
      readonly sent: number
      readonly isOnDemand?: boolean | undefined
    }
  /** A malformed message was skipped. */
  | { readonly kind: 'malformed' }

export type SubmitReply =
  /** `sequence`: number of the record that contains the transaction. */
  | { readonly kind: 'accepted'; readonly sequence: number }
  | { readonly kind: 'refused'; readonly hash: Hash | undefined; readonly refusal: SubmitRefusal }

/** A JSON-RPC request that only the leader can answer: an operation of a development node. */
export interface LeaderRequest {
  readonly method: string
  /** JSON text. */
  readonly params: string
}

/** The response of the leader. */
export interface LeaderReply {
  /** The newest record at the time of the response. */
  readonly sequence: number
  /** `tooLarge`: the request was carried out, but the transport cannot carry the result. */
  readonly kind: 'result' | 'error' | 'tooLarge'
  /** JSON text of the result, or of `{code, message, data}`; if it is too large, a message for the user. */
  readonly text: string
}

const SOURCE_ERROR_CODES = [
  // Another chain or another history: following it would revert announced flashblocks.
  'FOREIGN_CHAIN',
  'FORKED',
  // Another version of the stream protocol.
  'INCOMPATIBLE',
  // The token is missing or wrong.
  'NOT_ALLOWED',
  // Fewer records than the replica, or too many replicas: retry later.
  'BEHIND',
  'BUSY',
  // The source does not reach back to the replica's cursor, and no source of snapshots is configured.
  'SNAPSHOT_NEEDED',
  'UNREACHABLE',
  'CLOSED',
  'MALFORMED',
  'OVERSIZED',
  // A request that did not reach the leader: it had no effect.
  'NOT_SENT',
] as const

export type SourceErrorCode = (typeof SOURCE_ERROR_CODES)[number]

export function isSourceErrorCode(code: string): code is SourceErrorCode {
  return SOURCE_ERROR_CODES.some((known) => known === code)
}

/** The source cannot be followed, temporarily or permanently. */
export class SourceError extends CodedError<SourceErrorCode> {
  override readonly name = 'SourceError'
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
   * Submits a signed transaction to the leader.
   *
   * @throws SourceError when it is unknown whether it was accepted
   */
  submit(raw: Bytes): Promise<SubmitReply>
  /**
   * Sends a JSON-RPC request to the leader.
   *
   * @throws SourceError `NOT_SENT`: it had no effect; others: it is unknown whether it was carried out
   */
  request(request: LeaderRequest): Promise<LeaderReply>
  close(): void
}

/** A source of records, independent of the transport. */
export interface RecordSource {
  /** Display name. */
  readonly name: string
  /** @throws SourceError */
  connect(hello: StreamHello): Promise<RecordConnection>
}
