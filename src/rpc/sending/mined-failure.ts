import type { Block } from '../../chain/block/block.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { type Replay, traceBlock } from '../../engine/trace/trace-block.ts'
import type { View } from '../../node/view/view.ts'
import type { NodeConventions } from '../compat/node-conventions.ts'
import type { ReadContext } from '../context/reading.ts'
import type { SendContext } from '../context/sending.ts'
import type { CallFailure, EntryFailure } from '../protocol/error-reason.ts'
import { callError } from '../protocol/errors.ts'
import { tracedFrames } from '../queries/report-call.ts'
import { replayOf, tracing } from '../queries/tracing.ts'

/** Of a trace only what the transaction itself returned is needed. */
const TOP_CALL = { name: 'callTracer', options: { onlyTopCall: true } } as const

/**
 * Reports a transaction that was mined before the answer and failed, where the reproduced node does.
 *
 * @throws RpcError
 */
export async function throwMinedFailure(
  { hash }: PoolTransaction,
  { sending }: NodeConventions,
  context: SendContext,
): Promise<void> {
  if (!sending.throwsMinedFailures) return
  const view = context.node.view()
  view.retain()
  try {
    const found = view.transaction(hash)
    if (found?.kind !== 'included') return
    const { outcome } = found.receipt
    if (!('status' in outcome) || outcome.status === 1) return
    const failure = await failureOf(view, found.block.block, found.index, context)
    if (failure !== undefined) throw callError(failure, hash)
  } finally {
    view.release()
  }
}

async function failureOf(
  view: View,
  block: Block,
  index: number,
  context: ReadContext,
): Promise<CallFailure | undefined> {
  const replay = replayOf({ view }, block)
  const [traced] = await tracing(context, { tracer: TOP_CALL }, (options) =>
    traceBlock(context.engine, replay, options, index),
  )
  if (traced?.trace.name !== 'callTracer') return undefined
  const { error, output } = traced.trace.top
  if (error === undefined) return undefined
  if (error !== 'execution reverted') return { kind: 'halted', reason: error }
  return {
    kind: 'reverted',
    output,
    entry: output.length === 0 ? await entryFailure(replay, index, context) : undefined,
  }
}

async function entryFailure(replay: Replay, index: number, context: ReadContext): Promise<EntryFailure | undefined> {
  const { engine, entryFailureOf } = context
  if (entryFailureOf === undefined) return undefined
  const [traced] = (await tracedFrames(context, (options) => traceBlock(engine, replay, options, index))) ?? []
  return traced?.trace.name === 'parityTracer' ? entryFailureOf(traced.trace.trace) : undefined
}
