import type { SetHeadResult } from '../../node/core/results.ts'
import type { SubmitReply } from '../../node/log/record-source.ts'
import type { ReaderBeginning } from '../../node/roles/reader/reader-link.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { Json } from '../../rpc/json.ts'
import type { MetricFamilies } from '../metrics/metrics.ts'
import type { NodeCondition } from '../readiness.ts'

// Between the process that writes the chain and its RPC workers, over IPC: structured clones, so that bytes stay bytes.
// Both processes are of the same release.

/** What a worker cannot know by itself of how the node is doing. */
export type WriterCondition = Pick<
  NodeCondition,
  'writerLag' | 'hasFailed' | 'isStopping' | 'publishing' | 'following' | 'failover'
>

export type ToWorker =
  /** What waits in the pool and what left it, as encoded records; before `begin`. */
  | { readonly kind: 'pool'; readonly records: readonly Bytes[] }
  | {
      readonly kind: 'begin'
      /** Its number, from 1 on; the same after it was started again. */
      readonly worker: number
      /** How many there are. */
      readonly workers: number
      /** Whatever the one who starts it wants it to know. */
      readonly settings: unknown
      readonly beginning: ReaderBeginning
    }
  /** Encoded records that follow each other, the first one's number. */
  | { readonly kind: 'records'; readonly first: number; readonly records: readonly Bytes[] }
  /** Every second. */
  | {
      readonly kind: 'pulse'
      readonly newestSequence: number
      readonly condition: WriterCondition
      /** Workers that answer clients. */
      readonly answering: number
    }
  /** With the socket of a client. */
  | { readonly kind: 'connection' }
  | { readonly kind: 'stop' }

export type FromWorker =
  /** It hears: what it was told before is lost. */
  | { readonly kind: 'hello' }
  /** At every pulse. */
  | { readonly kind: 'alive' }
  /** Records up to this one are applied and shown. */
  | { readonly kind: 'applied'; readonly sequence: number }
  /** Clients may come. */
  | { readonly kind: 'ready' }
  /** A connection has come, and the next one may. */
  | { readonly kind: 'taken' }
  /** It could not start. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined }
  /** With the socket of a client that wants a WebSocket at a path that the other process serves. */
  | {
      readonly kind: 'upgrade'
      readonly url: string
      readonly headers: Readonly<Record<string, string | string[] | undefined>>
      /** What came after the request. */
      readonly head: Bytes
      readonly id: string
      readonly address: string
    }

/** `eth_getFilterChanges` of another worker's filter; the first parameter is a key that `PUT_BACK` refers to. */
export const POLL = 'poll'
/** Undoes a poll whose answer did not reach the client, so that the next poll answers its changes again. */
export const PUT_BACK = 'putBack'

/** A request that another worker answers. */
export interface ForwardedCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export type CallAnswer =
  /** JSON. */
  | { readonly kind: 'result'; readonly text: string }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data: Json | undefined }
  /** There is no such worker any more, and what it kept is gone with it. */
  | { readonly kind: 'gone' }

/** The same on its way: what is large is fetched in pieces. */
export type ChunkedAnswer = CallAnswer | { readonly kind: 'pieces'; readonly id: string; readonly count: number }

export interface ChunkRequest {
  /** Of the answer. */
  readonly id: string
  /** From 0 on. */
  readonly index: number
}

/** What a worker asks. */
export interface WriterRequests {
  /** Everything that is answered from now on waits for this worker. The newest record. */
  readonly join: readonly [question: undefined, answer: number]
  /**
   * `from`: the sender, which the worker has recovered. It is believed: a worker is a process of this node that this process
   * started, with its rights and upon its files, and nobody else has an end of the pipe between them.
   */
  readonly submit: readonly [sent: { readonly raw: Bytes; readonly from: Address }, reply: SubmitReply]
  /** Whether all workers show a record. */
  readonly reached: readonly [sequence: number, answer: undefined]
  readonly setHead: readonly [number: number, answer: { readonly result: SetHeadResult; readonly sequence: number }]
  readonly call: readonly [call: ForwardedCall & { readonly worker: number }, answer: ChunkedAnswer]
  /** Of an answer of that worker; `undefined`: it is gone. */
  readonly piece: readonly [piece: ChunkRequest & { readonly worker: number }, text: string | undefined]
  /** Of all processes, as Prometheus reads them. */
  readonly metrics: readonly [question: undefined, text: string]
}

/** What a worker is asked. */
export interface WorkerRequests {
  readonly call: readonly [call: ForwardedCall, answer: ChunkedAnswer]
  readonly piece: readonly [piece: ChunkRequest, text: string | undefined]
  readonly metrics: readonly [question: undefined, answer: MetricFamilies]
}
