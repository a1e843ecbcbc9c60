import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Engine, MayContinue } from '../../engine/types.ts'
import type { Clock, ProcessorTime } from '../../node/core/clock.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import type { BlockView, View } from '../../node/view/view.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { Compat } from '../compat/compat.ts'
import type { Peer } from '../compat/peer.ts'
import type { FilterSet } from '../filters/filter-set.ts'
import type { MemoizedLogs } from '../logs/memoized-logs.ts'
import type { MemoizedBlocks } from '../memoized/memoized-blocks.ts'
import type { Dialect } from '../protocol/dialect.ts'
import type { EncodedJson } from '../protocol/encoded-json.ts'
import { headerNotFound, type RpcError } from '../protocol/errors.ts'
import type { RpcLimits } from '../protocol/limits.ts'
import type { EnabledMethods, Namespaces } from '../protocol/namespaces.ts'
import type { ReportedCall } from '../protocol/reported-call.ts'
import type { RpcClient, RpcLog, RpcMonitor } from '../protocol/rpc-client.ts'
import type { InclusionWaits } from '../scheduling/inclusion-waits.ts'
import type { Offload } from '../scheduling/offload.ts'
import type { YieldIfDue } from '../scheduling/time-slices.ts'
import type { SubscriptionScope } from '../subscriptions/subscription-set.ts'
import type { TipOracle } from './tip-oracle.ts'

/** Options of the JSON-RPC server. */
export interface RpcOptions extends RpcLimits {
  readonly dialect: Dialect
  /** Result of `web3_clientVersion`, such as `Tickertape/v0.1.0/linux-x64/node20.19.0`. */
  readonly clientVersion: string
  /** Version of the node in the OpenRPC document: `0.1.0`. */
  readonly version: string
  /** Result of `net_version`. */
  readonly networkId: bigint
  /** Suggested tip in wei per gas while the newest block has room. */
  readonly minTip: bigint
  /** Namespaces enabled over HTTP, and over WebSocket. */
  readonly httpNamespaces: Namespaces
  readonly wsNamespaces: Namespaces
  /** Whether the methods of development nodes are enabled. */
  readonly development: boolean
  /** The same for clients that came to a node on loopback through a proxy. Default: as for others. */
  readonly outside?: Pick<RpcOptions, 'httpNamespaces' | 'wsNamespaces' | 'development'> | undefined
  /** The node whose responses are reproduced; `undefined`: that of each method's namespace. */
  readonly compat: Compat | undefined
  /** Sender of calls and estimates that name none. Default: the zero address. */
  readonly defaultSender: Address | undefined
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

/** A search for the blocks in which an address appears. */
export interface AppearanceRange {
  readonly address: Address
  /** The first block. */
  readonly start: number
  readonly direction: 'older' | 'newer'
}

/** The index of addresses. Its blocks may be others than those of a view. */
export interface AppearanceIndex {
  /** The newest indexed block; -1: none. */
  readonly newest: number
  hashOf(number: number): Hash | undefined
  /** The lowest block from which on all blocks up to an indexed one are indexed. */
  oldestBelow(number: number): number | undefined
  find(range: AppearanceRange): Iterable<{
    readonly number: number
    readonly hash: Hash
    /** Positions of the transactions, ascending. */
    readonly indexes: readonly number[]
  }>
}

/** The real layer 1 whose blocks are the L1 origins. */
export interface Layer1 {
  /** OptimismPortal; undefined: no deposits are derived. */
  readonly portal: Address | undefined
  /** Rejects while layer 1 cannot be read. */
  chainId(): Promise<bigint>
}

export interface RpcDeps {
  readonly node: ServedNode
  /** Absent: layer 1 is simulated, or only the leader knows it. */
  readonly layer1?: Layer1
  /** Absent: blocks are replayed to find the transactions of an address. */
  readonly addressIndex?: AppearanceIndex
  readonly clock: Clock
  /** Milliseconds of processor time of this process, all threads. Absent: elapsed time. */
  readonly processorTime?: ProcessorTime
  readonly log: RpcLog
  readonly randomBytes: (size: number) => Bytes
  /** Absent: long requests run on this thread, in slices. */
  readonly offload?: Offload
  readonly monitor?: RpcMonitor
  /** Absent: this process answers all requests. */
  readonly forwarder?: RequestForwarder
  /** See `ReadContext.onCall`. */
  readonly onCall?: (call: ReportedCall) => void
}

/** Context of a method that reads: one view, and no way to get a later one. */
export interface ReadContext {
  readonly view: View
  /**
   * The same request on the view whose pending block is the one that would be mined now (ADR 0017). Requests that name
   * `pending` have it as `view`. Items of a batch share it.
   */
  forecast(): MaybePromise<ReadContext>
  readonly config: ChainConfig
  readonly engine: Engine
  /** Seconds. */
  readonly blockTimeSeconds: number
  /** Flashblocks per block, without the opening one. */
  readonly slots: number
  /** Gas limit of new blocks; on layer 1 the target that it moves towards. */
  readonly gasLimit: bigint
  readonly options: RpcOptions
  /** The node whose responses are reproduced. */
  readonly peer: Peer
  readonly tips: TipOracle
  /** Memoized JSON of blocks, transactions and receipts. */
  readonly memoizedBlocks: MemoizedBlocks
  /** Memoized JSON of logs of sealed blocks. */
  readonly memoizedLogs: MemoizedLogs
  /** Yields between steps of long work when the slice is used. */
  readonly yieldIfDue: YieldIfDue
  /**
   * Reports the bytes of the response so far. Called before a yield.
   *
   * @throws RpcError -32005 when there is no memory for it
   */
  readonly grown: (bytes: number) => void
  /** Yields as `yieldIfDue`, for work that `callTimeoutMs` bounds; false when the time is up. */
  readonly mayContinue: MayContinue
  /** Creates a `MayContinue` for work with a limit of its own. Waits for state of a forked node do not count. */
  readonly timeLimit: (limitMs: number) => MayContinue
  /** Milliseconds on the monotonic clock, for work that cannot yield. */
  readonly now: () => number
  readonly addressIndex: AppearanceIndex | undefined
  readonly layer1: Layer1 | undefined
  /** Called with calls and estimates that failed or used the console of contracts. Absent: they are not looked for. */
  readonly onCall: ((call: ReportedCall) => void) | undefined
  /** Methods enabled on the transport, for `rpc_modules`. */
  readonly methods: EnabledMethods
}

/** Context of a method that writes: the node beside the view. */
export interface WriteContext extends ReadContext {
  readonly node: ServedNode
  readonly clock: Clock
  /** Absent over HTTP. */
  readonly subscriptions: SubscriptionScope | undefined
  readonly inclusionWaits: InclusionWaits
  readonly filters: FilterSet
  /** Address of the client, by which filters are counted. */
  readonly client: string
  /** See `RpcClient`. */
  readonly isOutside: boolean
  /** The same request on the newest view, which a caller that awaits has to retain. */
  renewed(): WriteContext
  /** See `RpcClient.onPolled`. */
  readonly onPolled?: RpcClient['onPolled'] | undefined
}

/** State for the engine. */
export type State = NonNullable<ReturnType<View['state']>>

/**
 * The state after a block. Does not read the block.
 *
 * @throws RpcError `header not found`
 */
export function requireState({ view }: ReadContext, reference: BlockReference): State {
  const state = view.state(reference)
  if (state === undefined) throw unknownBlock(view, reference)
  return state
}

/**
 * The header of a block and the state after it. Does not read the transactions.
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
  if (block === undefined || state === undefined) throw unknownBlock(view, reference)
  return { block, state }
}

/** The error for a block that a view does not have. */
export function unknownBlock(view: View, reference: BlockReference): RpcError {
  return headerNotFound(reference.kind === 'hash' ? reference.hash : view.number(reference)!, view.head.sealed.latest)
}
