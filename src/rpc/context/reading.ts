import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Engine } from '../../engine/types.ts'
import { type BlockReference, PENDING } from '../../node/view/block-reference.ts'
import type { BlockView, View } from '../../node/view/view.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { NodeConventions } from '../compat/node-conventions.ts'
import type { MemoizedLogs } from '../logs/memoized-logs.ts'
import type { MemoizedBlocks } from '../memoized/memoized-blocks.ts'
import { headerNotFound, type RpcError } from '../protocol/errors.ts'
import type { LatestState } from '../protocol/latest-state.ts'
import type { EnabledMethods } from '../protocol/namespaces.ts'
import type { FindEntryFailure, ReportedCall } from '../protocol/reported-call.ts'
import type { AppearanceIndex, Layer1 } from './dependencies.ts'
import type { RpcOptions } from './options.ts'
import type { ShownTimes } from './shown-times.ts'
import type { TipOracle } from './tip-oracle.ts'
import type { FlashblockWait, WaitContext } from './waiting.ts'

/** Context of a method that reads: one view, and no way to get a later one. */
export interface ReadContext extends WaitContext {
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
  /** The state at `latest`: `sealed` as well where nothing is pre-confirmed (Denim, blocks on demand). */
  readonly latestState: LatestState
  /** How the request may wait for the next flashblock; `undefined`: it must not. Items of a batch must not. */
  readonly flashblockWait: FlashblockWait | undefined
  /** The node whose responses are reproduced. */
  readonly conventions: NodeConventions
  readonly tips: TipOracle
  readonly shownTimes: ShownTimes
  /** Memoized JSON of blocks, transactions and receipts. */
  readonly memoizedBlocks: MemoizedBlocks
  /** Memoized JSON of logs of sealed blocks. */
  readonly memoizedLogs: MemoizedLogs
  readonly addressIndex: AppearanceIndex | undefined
  readonly layer1: Layer1 | undefined
  /** Called with calls and estimates that failed or used the console of contracts. Absent: they are not looked for. */
  readonly onCall: ((call: ReportedCall) => void) | undefined
  /** Names failures at the entry of contracts by their ABIs. Absent: no ABIs are known. */
  readonly entryFailureOf: FindEntryFailure | undefined
  /** Methods enabled on the transport, for `rpc_modules`. */
  readonly methods: EnabledMethods
}

/** State for the engine. */
export type State = NonNullable<ReturnType<View['state']>>

/**
 * The block whose state and environment a request reads at a reference: the open one at `latest`, when `latest` stands
 * for the pre-confirmed state. Methods that read blocks, logs or proofs must not use it.
 */
export function blockOfState({ latestState }: Pick<ReadContext, 'latestState'>, reference: BlockReference) {
  const isLatest = reference.kind === 'tag' && reference.tag === 'latest'
  return isLatest && latestState === 'preconfirmed' ? PENDING : reference
}

/**
 * The state that a request reads at a reference (`blockOfState`). Does not read the block.
 *
 * @throws RpcError `header not found`
 */
export function requireState(context: ReadContext, reference: BlockReference): State {
  const { view } = context
  const state = view.state(blockOfState(context, reference))
  if (state === undefined) throw unknownBlock(view, reference)
  return state
}

/**
 * The state that a request reads at a reference (`blockOfState`), and the header of its block. Does not read the
 * transactions.
 *
 * @throws RpcError `header not found`
 */
export function requireHeaderAndState(
  context: ReadContext,
  reference: BlockReference,
): { header: Header; state: State } {
  const state = requireState(context, reference)
  return { header: context.view.header(blockOfState(context, reference))!, state }
}

/**
 * A block and the state after it; at `latest` always the sealed one.
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

/** The error for a block that a view does not have, or of which it has no state: a partial hash of a sealed block. */
export function unknownBlock(view: View, reference: BlockReference): RpcError {
  const { latest } = view.head.sealed
  if (reference.kind !== 'hash') return headerNotFound(view.number(reference)!, latest)
  const found = view.block(reference)
  if (found?.status !== 'superseded') return headerNotFound(reference.hash, latest)
  const { number } = found.block.header
  const hash = view.blockHash({ kind: 'number', number })
  return headerNotFound(reference.hash, latest, hash && { number, hash })
}
