import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { RpcOptions } from '../context.ts'
import type { Json } from '../json.ts'
import type { BurstRequest, OffloadedRequest } from '../scheduling/offload.ts'

/** An error, as messages can carry it and a log shows it. */
export interface LoggedError {
  readonly type: string
  readonly code?: string
  /** That of its cause behind it. */
  readonly message: string
  readonly stack: string | undefined
}

export type LoggedDetail = string | number | LoggedError

/** What a worker is started with. */
export interface ThreadSettings {
  readonly genesis: Genesis
  readonly directory: string
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
  readonly blockTimeMs: number
  /** Flashblocks of a block, the opening one besides. */
  readonly slots: number
  /** Gas of each block; on layer 1 what it moves towards. */
  readonly gasLimit: bigint
  readonly rpc: RpcOptions
}

/** To a worker, in the order of the chain. */
export type ToThread =
  /** The records from `from` to `to` lead to the present head: at the beginning, and when blocks were taken back. */
  | { readonly kind: 'start'; readonly from: number; readonly to: number }
  /** Records up to this one were announced. */
  | { readonly kind: 'advance'; readonly to: number }
  /** Nobody asks: it follows the chain no more, until a `start`. What it does meanwhile: `thread-rest.ts`. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'request'; readonly id: number; readonly request: OffloadedRequest }
  /** Nobody waits for its answer any more. */
  | { readonly kind: 'cancel'; readonly id: number }
  /** Short requests, answered before anything else, and together. */
  | { readonly kind: 'burst'; readonly id: number; readonly requests: readonly BurstRequest[] }

export interface PostedResult {
  readonly kind: 'result'
  readonly text: string
}

export interface PostedError {
  readonly kind: 'error'
  readonly code: number
  readonly message: string
  readonly data: Json | undefined
}

/** What a worker says of one of several short requests; `undefined`: it does not have its head, or no time for it. */
export type PostedAnswer = PostedResult | PostedError | { readonly kind: 'takesLong' } | undefined

/** What a worker says. */
export type FromThread =
  | (PostedResult & { readonly id: number })
  | (PostedError & { readonly id: number })
  /** It does not have the head that the request is about. */
  | { readonly kind: 'unknownHead'; readonly id: number }
  /** It was cancelled before it was answered. */
  | { readonly kind: 'cancelled'; readonly id: number }
  /** It could not follow the records: it has to be started anew. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** A line for the log of the node. */
  | {
      readonly kind: 'logged'
      readonly details: Readonly<Record<string, LoggedDetail>>
      readonly message: string
    }
  /** It has come to a `start` or an `advance`, one after the other. */
  | { readonly kind: 'followed' }
  /** @property ms that all of them took */
  | { readonly kind: 'burst'; readonly id: number; readonly answers: readonly PostedAnswer[]; readonly ms: number }
