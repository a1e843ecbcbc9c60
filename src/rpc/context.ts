import type { ChainConfig } from '../chain/chain-config.ts'
import type { Engine } from '../engine/types.ts'
import type { BlockReference } from '../node/block-reference.ts'
import type { Clock } from '../node/clock.ts'
import type { NodeService } from '../node/node-service.ts'
import type { BlockView, View } from '../node/view.ts'
import type { Bytes } from '../primitives/hex.ts'
import type { Dialect } from './dialect.ts'
import { headerNotFound } from './errors.ts'
import type { RpcLog } from './rpc-log.ts'
import type { SubscriptionScope } from './subscriptions/subscription-set.ts'
import type { MayContinue } from './time-slices.ts'

/** How requests are answered. */
export interface RpcOptions {
  readonly dialect: Dialect
  /** What `web3_clientVersion` says, as in `Tickertape/v0.1.0/linux-x64/node20.19.0`. */
  readonly clientVersion: string
  /** What `net_version` says. */
  readonly networkId: bigint
  /** Gas of one call, estimate or simulation request at most. */
  readonly callGasCap: bigint
  /** Milliseconds of one simulation at most. */
  readonly callTimeout: number
  /** Milliseconds that `eth_sendRawTransactionSync` waits without a second parameter, and at most. */
  readonly syncTimeout: { readonly default: number; readonly max: number }
  /** Wei per gas that is suggested as tip while blocks are empty. */
  readonly defaultTip: bigint
  /** Entries of one batch. */
  readonly maxBatchItems: number
  /** Bytes of the answers to one batch. */
  readonly maxBatchBytes: number
  /** Levels of arrays and objects in a request. */
  readonly maxNesting: number
  /** Logs in one answer. */
  readonly maxLogs: number
  /** Blocks that one query for logs may span; 0: any number. */
  readonly maxLogRange: number
  /** Milliseconds that one query for logs may search. */
  readonly logTimeout: number
  /** Subscriptions of one connection. */
  readonly maxSubscriptions: number
}

export interface RpcParts {
  readonly node: NodeService
  readonly clock: Clock
  readonly log: RpcLog
  readonly randomBytes: (size: number) => Bytes
}

/** What a reading method sees: one view, and nothing that could see another. */
export interface ReadContext {
  readonly view: View
  readonly config: ChainConfig
  readonly engine: Engine
  /** Seconds. */
  readonly blockTime: number
  readonly options: RpcOptions
  /** For long work: gives others a turn now and then, and says when the request's time is up. */
  readonly mayContinue: MayContinue
  /** Milliseconds on the monotonic clock: for work that cannot wait in between. */
  readonly now: () => number
  /** Names in the registry, for `rpc_modules`. */
  readonly methodNames: () => readonly string[]
}

/** What sending and subscribing see besides: the node as it goes on. */
export interface WriteContext extends ReadContext {
  readonly node: NodeService
  readonly clock: Clock
  /** Absent over HTTP. */
  readonly subscriptions: SubscriptionScope | undefined
}

/** State as the engine reads it. */
export type State = NonNullable<ReturnType<View['state']>>

/**
 * A block and the state after it.
 *
 * @throws RpcError `header not found`
 */
export function blockAndState({ view }: ReadContext, reference: BlockReference): { block: BlockView; state: State } {
  const block = view.block(reference)
  const state = block && view.stateOf(block)
  if (block === undefined || state === undefined) throw headerNotFound()
  return { block, state }
}
