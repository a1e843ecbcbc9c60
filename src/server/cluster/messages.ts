import type { SetHeadResult } from '../../node/core/results.ts'
import type { ReaderHandover } from '../../node/following/reader-link.ts'
import type { LeaderReply, LeaderRequest, SubmitReply } from '../../node/log/record-source.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { Json } from '../../rpc/protocol/json.ts'
import type { MetricFamilies } from '../metrics/metrics.ts'
import type { NodeCondition } from '../readiness.ts'

// Messages between the writer process and its RPC workers, over IPC as structured clones. Both processes are of the
// same release.

/** Node condition that a worker cannot determine itself. */
export type WriterCondition = Pick<
  NodeCondition,
  'writerLag' | 'hasFailed' | 'isStopping' | 'isOnDemand' | 'printsExecutions' | 'publishing' | 'following' | 'failover'
>

export type ToWorker =
  /** Pooled and dropped transactions as encoded records; sent before `begin`. */
  | { readonly kind: 'pool'; readonly records: readonly Bytes[] }
  | {
      readonly kind: 'begin'
      /** Worker number from 1; kept across restarts. */
      readonly worker: number
      /** Number of workers. */
      readonly workers: number
      /** Settings of the worker program. */
      readonly settings: unknown
      readonly handover: ReaderHandover
    }
  /** Consecutive encoded records; `first` is the sequence number of the first. */
  | { readonly kind: 'records'; readonly first: number; readonly records: readonly Bytes[] }
  /** Sent every second. */
  | {
      readonly kind: 'pulse'
      readonly newestSequence: number
      readonly condition: WriterCondition
      /** Workers that serve clients. */
      readonly answering: number
    }
  /** Carries the socket of a client. */
  | { readonly kind: 'connection' }
  | { readonly kind: 'stop' }

export type FromWorker =
  /** The worker listens for messages; earlier messages are lost. */
  | { readonly kind: 'hello' }
  /** Response to `pulse`. */
  | { readonly kind: 'alive' }
  /** Records up to `sequence` are applied and visible. */
  | { readonly kind: 'applied'; readonly sequence: number }
  /** The worker can serve clients. */
  | { readonly kind: 'ready' }
  /** A connection was received; the next one may be sent. */
  | { readonly kind: 'taken' }
  /** The worker could not start. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined }
  /** Carries the socket of a client that requests a WebSocket at a path served by the other process. */
  | {
      readonly kind: 'upgrade'
      /** Path and query. */
      readonly target: string
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>
      /** Bytes received after the request. */
      readonly following: Bytes
      readonly id: string
      readonly address: string
    }

/** `eth_getFilterChanges` for a filter of another worker. `PUT_BACK` refers to the key in the first parameter. */
export const POLL = 'poll'
/** Undoes a poll whose response did not reach the client: the next poll returns the same changes. */
export const PUT_BACK = 'putBack'

/** A request to another worker. */
export interface ForwardedCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export type CallResponse =
  /** JSON of the result. */
  | { readonly kind: 'result'; readonly text: string }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data: Json | undefined }
  /** The worker has exited, and its filters with it. */
  | { readonly kind: 'gone' }

/** A response in transit: a large one is fetched in chunks. */
export type ChunkedResponse = CallResponse | { readonly kind: 'pieces'; readonly id: string; readonly count: number }

export interface ChunkRequest {
  /** Id of the response. */
  readonly id: string
  /** Index from 0. */
  readonly index: number
}

/** Requests of a worker. */
export interface WriterRequests {
  /** Adds the worker to those that every write waits for. Returns the newest sequence number. */
  readonly join: readonly [question: undefined, answer: number]
  /**
   * `from`: sender recovered by the worker. It is trusted: the node started the worker with its own rights, and no
   * other process can write to its pipe.
   */
  readonly submit: readonly [sent: { readonly raw: Bytes; readonly from: Address }, reply: SubmitReply]
  /** An operation of a development node. Answered when all workers show its effects. */
  readonly leader: readonly [request: LeaderRequest, reply: LeaderReply]
  /** Resolves when all workers have applied a record. */
  readonly reached: readonly [sequence: number, answer: undefined]
  readonly setHead: readonly [number: number, answer: { readonly result: SetHeadResult; readonly sequence: number }]
  readonly call: readonly [call: ForwardedCall & { readonly worker: number }, answer: ChunkedResponse]
  /** A chunk of a response of that worker; `undefined`: it is no longer available. */
  readonly piece: readonly [piece: ChunkRequest & { readonly worker: number }, text: string | undefined]
  /** Metrics of all processes in Prometheus text format. */
  readonly metrics: readonly [question: undefined, text: string]
}

/** Requests to a worker. */
export interface WorkerRequests {
  readonly call: readonly [call: ForwardedCall, answer: ChunkedResponse]
  readonly piece: readonly [piece: ChunkRequest, text: string | undefined]
  readonly metrics: readonly [question: undefined, answer: MetricFamilies]
}
