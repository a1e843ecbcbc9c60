import type { Clock, ProcessorTime } from '../../node/core/clock.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import type { OnFlashblockDelivered } from '../../node/view/events.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { EncodedJson } from '../protocol/encoded-json.ts'
import type { FindEntryFailure, ReportedCall } from '../protocol/reported-call.ts'
import type { RpcClient, RpcLog, RpcMonitor } from '../protocol/rpc-client.ts'
import type { FindInterface } from '../reports/contract-interface.ts'
import type { Offload } from '../scheduling/offload.ts'

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
  readonly onFlashblockDelivered?: OnFlashblockDelivered
  /** Absent: this process answers all requests. */
  readonly forwarder?: RequestForwarder
  /** See `ReadContext.onCall`. */
  readonly onCall?: (call: ReportedCall) => void
  /** See `ReadContext.entryFailureOf`. */
  readonly entryFailureOf?: FindEntryFailure
  /** See `WriteContext.interfaceOf`. Absent: reports have no names. */
  readonly interfaceOf?: FindInterface
}
