import type { Header } from '../chain/block/header.ts'
import type { ChainConfig } from '../chain/forks/chain-config.ts'
import type { Engine, MayContinue } from '../engine/types.ts'
import type { BlockReference } from '../node/core/block-reference.ts'
import type { Clock, ProcessorTime } from '../node/core/clock.ts'
import type { ServedNode } from '../node/core/node-handle.ts'
import type { BlockView, View } from '../node/core/view.ts'
import type { Bytes } from '../primitives/hex.ts'
import type { Dialect } from './dialect.ts'
import { headerNotFound } from './errors.ts'
import type { FilterOptions } from './filters/filter-options.ts'
import type { FilterSet } from './filters/filter-set.ts'
import type { MemoizedLogs } from './logs/memoized-logs.ts'
import type { EncodedJson } from './memoized/encoded-json.ts'
import type { MemoizedBlocks } from './memoized/memoized-blocks.ts'
import type { TipOracle } from './queries/tip-oracle.ts'
import type { EnabledMethods, Namespaces } from './registry/namespaces.ts'
import type { RpcClient, RpcLog, RpcMonitor } from './rpc-client.ts'
import type { InclusionWaits } from './scheduling/inclusion-waits.ts'
import type { Offload } from './scheduling/offload.ts'
import type { YieldIfDue } from './scheduling/time-slices.ts'
import type { SubscriptionScope } from './subscriptions/subscription-set.ts'

/** How requests are answered. */
export interface RpcOptions {
  readonly dialect: Dialect
  /** What `web3_clientVersion` says, as in `Tickertape/v0.1.0/linux-x64/node20.19.0`. */
  readonly clientVersion: string
  /** Of the node, as the OpenRPC document names it: `0.1.0`. */
  readonly version: string
  /** What `net_version` says. */
  readonly networkId: bigint
  /** Gas of one call, estimate or simulation request at most. */
  readonly callGasCap: bigint
  /** Calls and the like that run at once; each holds up to some 25 MiB. */
  readonly maxRunningCalls: number
  /** Those that wait for their turn to run. */
  readonly maxWaitingCalls: number
  /** Milliseconds of one simulation at most. */
  readonly callTimeout: number
  /** Blocks of one simulation, gaps included; calls in one of them, and in all. */
  readonly maxSimulatedBlocks: number
  readonly maxSimulatedBlockCalls: number
  readonly maxSimulatedCalls: number
  /** Milliseconds that `eth_sendRawTransactionSync` waits without a second parameter, and at most. */
  readonly syncTimeout: { readonly default: number; readonly max: number }
  /** Wei per gas that is suggested as tip while blocks are empty. */
  readonly defaultTip: bigint
  /** Entries of one batch. */
  readonly maxBatchItems: number
  /** Bytes of the answers to one batch. */
  readonly maxBatchBytes: number
  /** Bytes of the answers that are being put together, of all requests. */
  readonly maxAssembledBytes: number
  /** Bytes of the blocks, receipts and code that stay written as JSON. */
  readonly maxReadyBytes: number
  /** Bytes of the logs that stay written as JSON. */
  readonly maxReadyLogBytes: number
  /** Characters of one answer. */
  readonly maxAnswerBytes: number
  /** Milliseconds of one batch; items that are not begun by then are refused. */
  readonly batchTimeout: number
  /** Levels of arrays and objects in a request. */
  readonly maxNesting: number
  /** Logs in one answer. */
  readonly maxLogs: number
  /** Bytes of the logs in one answer. */
  readonly maxLogBytes: number
  /** Blocks that one query for logs may span; 0: any number. */
  readonly maxLogRange: number
  /** Milliseconds that one query for logs may search. */
  readonly logTimeout: number
  /** Milliseconds of one trace without a `timeout` of its own, and at most. */
  readonly traceTimeout: { readonly default: number; readonly max: number }
  /** Bytes of the traces in one answer. */
  readonly maxTraceBytes: number
  readonly filters: FilterOptions
  /** Bytes of the transactions in one answer about the pool. */
  readonly maxPoolBytes: number
  /** Subscriptions of one connection. */
  readonly maxSubscriptions: number
  /** Addresses and topics in the filters of all subscriptions of one connection. */
  readonly maxSubscribedCriteria: number
  /** Bytes of one connection's messages that wait for the answer which tells their subscription's id. */
  readonly maxHeldBytes: number
  /** Requests of one connection that wait for their transaction at once. */
  readonly maxWaits: number
  /** What there is over HTTP, and over WebSocket. */
  readonly httpNamespaces: Namespaces
  readonly wsNamespaces: Namespaces
}

/** Forwards requests about state that another process holds, such as the filters of another RPC worker. */
export interface RequestForwarder {
  /**
   * @returns `undefined` when this process answers the request itself
   * @throws RpcError the error that the other process answered
   */
  forward(
    method: string,
    params: readonly unknown[],
    client: Pick<RpcClient, 'isGone'>,
  ): Promise<EncodedJson> | undefined
}

export interface RpcDeps {
  readonly node: ServedNode
  readonly clock: Clock
  /** Milliseconds that this process has run, on all its threads. Absent: those that passed. */
  readonly processorTime?: ProcessorTime
  readonly log: RpcLog
  readonly randomBytes: (size: number) => Bytes
  /** Absent: requests that take long go on here, in slices. */
  readonly offload?: Offload
  readonly monitor?: RpcMonitor
  /** Absent: everything is answered here. */
  readonly forwarder?: RequestForwarder
}

/** What a reading method sees: one view, and nothing that could see another. */
export interface ReadContext {
  readonly view: View
  readonly config: ChainConfig
  readonly engine: Engine
  /** Seconds. */
  readonly blockTime: number
  /** Flashblocks of a block, the opening one besides. */
  readonly slots: number
  /** Gas of each block; on layer 1 what it moves towards. */
  readonly gasLimit: bigint
  readonly options: RpcOptions
  readonly tips: TipOracle
  /** Blocks, transactions and receipts as JSON text. */
  readonly memoizedBlocks: MemoizedBlocks
  /** Logs of sealed blocks as JSON text. */
  readonly memoizedLogs: MemoizedLogs
  /** Between steps of long work: goes on at once, or after others had their turn. */
  readonly yieldIfDue: YieldIfDue
  /**
   * Told how many bytes the answer has so far, before a turn.
   *
   * @throws RpcError -32005 when there is no room for it
   */
  readonly grown: (bytes: number) => void
  /** The same for work that `callTimeout` bounds; it says when the time is up. */
  readonly mayContinue: MayContinue
  /** Milliseconds on the monotonic clock: for work that cannot wait in between. */
  readonly now: () => number
  /** What the request's transport has, for `rpc_modules`. */
  readonly methods: EnabledMethods
}

/** What sending and subscribing see besides: the node as it goes on. */
export interface WriteContext extends ReadContext {
  readonly node: ServedNode
  readonly clock: Clock
  /** Absent over HTTP. */
  readonly subscriptions: SubscriptionScope | undefined
  readonly waits: InclusionWaits
  readonly filters: FilterSet
  /** Who asks, as far as the transport knows: what it keeps is counted by it. */
  readonly client: string
  /** As the client has it. */
  readonly onPolled?: RpcClient['onPolled'] | undefined
}

/** State as the engine reads it. */
export type State = NonNullable<ReturnType<View['state']>>

/**
 * The state after a block, without reading the block.
 *
 * @throws RpcError `header not found`
 */
export function requireState({ view }: ReadContext, reference: BlockReference): State {
  const state = view.state(reference)
  if (state === undefined) throw headerNotFound()
  return state
}

/**
 * A block's header and the state after it, without reading its transactions.
 *
 * @throws RpcError `header not found`
 */
export function requireHeaderAndState(
  context: ReadContext,
  reference: BlockReference,
): { header: Header; state: State } {
  const state = requireState(context, reference)
  return { header: context.view.header(reference)!, state }
}

/**
 * A block and the state after it.
 *
 * @throws RpcError `header not found`
 */
export function requireBlockAndState(
  { view }: ReadContext,
  reference: BlockReference,
): { block: BlockView; state: State } {
  const block = view.block(reference)
  const state = block && view.stateOf(block)
  if (block === undefined || state === undefined) throw headerNotFound()
  return { block, state }
}
