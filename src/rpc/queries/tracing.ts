import type { Block } from '../../chain/block/block.ts'
import { isForeign } from '../../chain/transaction/transaction.ts'
import type { TraceOptions } from '../../engine/trace/create-tracer.ts'
import { JavaScriptTracerError } from '../../engine/trace/javascript-sandbox.ts'
import {
  type Replay,
  ReplayError,
  stateWithin,
  type TracedTransaction,
  traceBlock,
} from '../../engine/trace/trace-block.ts'
import { TraceBudget, TraceTooLargeError } from '../../engine/trace/trace-budget.ts'
import { ExecutionStoppedError } from '../../engine/types.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import type { TraceConfig } from '../codecs/traces/trace-config.ts'
import { type ReadContext, requireBlockAndState, type State } from '../context/reading.ts'
import { traceJson } from '../format/traces/trace.ts'
import { EncodedJson, encodedArray } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'

/** Default: go-ethereum's structLogger, which traces every instruction. */
const DEFAULT_CONFIG: TraceConfig = { tracer: { name: 'structLogger', options: {} } }

/**
 * A block with the state before it.
 *
 * @throws RpcError for the genesis block, for an unknown parent, and for a block that only its own chain can execute
 */
export function replayOf(
  { view }: Pick<ReadContext, 'view'>,
  block: Pick<Block, 'header' | 'hash' | 'transactions'>,
): Replay {
  const { number, parentHash } = block.header
  const foreign = block.transactions.find(isForeign)
  if (foreign !== undefined) {
    throw new RpcError(
      RPC_CODES.server,
      `block ${number} has the transaction ${foreign.hash}, which only its own chain can execute: ask a node of that chain for its traces`,
    )
  }
  if (number === 0) throw new RpcError(RPC_CODES.server, 'genesis is not traceable')
  const parentState = view.state({ kind: 'hash', hash: parentHash, requireCanonical: false })
  if (parentState === undefined) throw new RpcError(RPC_CODES.server, `parent ${parentHash} not found`)
  return { block, parentState }
}

/** The state before a transaction of the block; `undefined`: the state after the block. */
export async function stateBefore(
  context: ReadContext,
  reference: BlockReference,
  index: number | undefined,
  mayContinue: Parameters<typeof stateWithin>[3],
): Promise<State | undefined> {
  if (index === undefined) return undefined
  const { block } = requireBlockAndState(context, reference).block
  const count = block.transactions.length
  if (index >= count) {
    throw new RpcError(RPC_CODES.server, `transaction index ${index} out of range: the block has ${count}`)
  }
  return stateWithin(context.engine, replayOf(context, block), index, mayContinue)
}

/** The traces of all transactions of a block. Yields while encoding. */
export function traceBlockResponse(
  context: ReadContext,
  block: Pick<Block, 'header' | 'hash' | 'transactions'>,
  config?: TraceConfig,
): Promise<EncodedJson> {
  // It has no transactions.
  if (block.header.number === 0 && context.conventions.tracesGenesis) return Promise.resolve(encodedArray([]))
  const replay = replayOf(context, block)
  return tracing(context, config, async (options) => {
    const texts: string[] = []
    for (const { hash, trace } of await traceBlock(context.engine, replay, options)) {
      texts.push(`{"txHash":"${hash}","result":${await traceJson(trace, context.yieldIfDue)}}`)
    }
    return encodedArray(texts)
  })
}

/** The trace of one transaction. */
export function traceTransactionResponse(
  context: ReadContext,
  block: Pick<Block, 'header' | 'hash' | 'transactions'>,
  index: number,
  config?: TraceConfig,
): Promise<EncodedJson> {
  const replay = replayOf(context, block)
  return tracing(context, config, async (options) => {
    const [traced] = await traceBlock(context.engine, replay, options, index)
    return new EncodedJson(await traceJson((traced as TracedTransaction).trace, context.yieldIfDue))
  })
}

/**
 * Runs a trace within the limits of time and size.
 *
 * @throws RpcError when a limit is reached, or a transaction is invalid at its position
 */
export async function tracing<T>(
  context: ReadContext,
  { tracer, timeout }: TraceConfig = DEFAULT_CONFIG,
  trace: (options: TraceOptions) => Promise<T>,
): Promise<T> {
  const { grown, conventions } = context
  const { traceTimeoutMs, maxTraceTimeoutMs, maxTraceBytes } = context.options
  const hasTime = context.timeLimit(Math.min(timeout ?? traceTimeoutMs, maxTraceTimeoutMs))
  const budget = new TraceBudget(maxTraceBytes)
  const mayContinue = () => {
    if (budget.spent > 0) grown(budget.spent)
    return hasTime()
  }
  try {
    const chosen = tracer.name === 'structLogger' ? { ...tracer, form: conventions.structLogs } : tracer
    return await trace({ tracer: chosen, budget, mayContinue })
  } catch (error) {
    // The text is go-ethereum's.
    if (error instanceof ExecutionStoppedError) throw new RpcError(RPC_CODES.server, 'execution timeout')
    if (error instanceof TraceTooLargeError) throw new RpcError(RPC_CODES.responseTooLarge, error.message)
    if (error instanceof JavaScriptTracerError) throw new RpcError(RPC_CODES.server, error.message)
    if (error instanceof ReplayError) throw new RpcError(RPC_CODES.server, `tracing failed: ${error.message}`)
    throw error
  }
}
