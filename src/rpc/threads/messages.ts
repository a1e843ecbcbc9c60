import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { RpcOptions } from '../context/options.ts'
import type { JsonPart } from '../protocol/encoded-json.ts'
import type { Json } from '../protocol/json.ts'
import type { ReportedCall } from '../protocol/reported-call.ts'
import type { OffloadedRequest } from '../scheduling/offload.ts'

/** An error for the log, structured-cloneable. */
export interface LoggedError {
  readonly type: string
  readonly code?: string
  /** Followed by the message of its cause. */
  readonly message: string
  readonly stack: string | undefined
}

export type LoggedDetail = string | number | LoggedError

/** Start options of a worker thread. */
export interface ThreadSettings {
  readonly genesis: Genesis
  readonly directory: string
  /** Blocks between `latest` and `finalized`. */
  readonly finalityDepth: number
  readonly blockTimeMs: number
  /** Flashblocks per block, without the opening one. */
  readonly slots: number
  /** Gas limit of new blocks; on layer 1 the target that it moves towards. */
  readonly gasLimit: bigint
  readonly rpc: RpcOptions
  /** Whether there is an index of addresses in the data directory. */
  readonly hasAddressIndex?: boolean
  /** Whether the main thread wants calls that failed or used the console. */
  readonly reportsCalls?: boolean
}

/** To a worker thread, in the order of the chain. */
export type ToThread =
  /** The records `from` to `to` lead to the current head: at the start, and after a reorganisation. */
  | { readonly kind: 'start'; readonly from: number; readonly to: number }
  /** Records up to `to` were announced. */
  | { readonly kind: 'advance'; readonly to: number }
  /** Idle: stops following the chain until the next `start`, and frees memory (`thread-memory.ts`). */
  | { readonly kind: 'rest' }
  | { readonly kind: 'request'; readonly id: number; readonly request: OffloadedRequest }
  /** The client has disconnected. */
  | { readonly kind: 'cancel'; readonly id: number }

export interface PostedResult {
  readonly kind: 'result'
  /** See `EncodedJson`. */
  readonly parts: readonly JsonPart[]
}

export interface PostedError {
  readonly kind: 'error'
  readonly code: number
  readonly message: string
  readonly data: Json | undefined
}

/** From a worker thread. */
export type FromThread =
  /** The program of the thread is loaded. */
  | { readonly kind: 'ready' }
  | (PostedResult & { readonly id: number })
  | (PostedError & { readonly id: number })
  /** The thread does not have the head of the request. */
  | { readonly kind: 'unknownHead'; readonly id: number }
  /** The request was cancelled before it was done. */
  | { readonly kind: 'cancelled'; readonly id: number }
  /** Following the records failed: the thread needs a `start`. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** A log line. */
  | {
      readonly kind: 'logged'
      readonly details: Readonly<Record<string, LoggedDetail>>
      readonly message: string
    }
  /** See `ReadContext.onCall`. */
  | { readonly kind: 'called'; readonly call: ReportedCall }
