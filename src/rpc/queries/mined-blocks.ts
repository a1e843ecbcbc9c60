import { decodeRevertReason } from '../../engine/call/revert-reason.ts'
import { type TracedTransaction, traceBlock } from '../../engine/trace/trace-block.ts'
import type { View } from '../../node/view/view.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import type { SendContext } from '../context/sending.ts'
import { formatBlock } from '../format/block.ts'
import type { Json, JsonRecord } from '../protocol/json.ts'
import { tracing } from './tracing.ts'

const TOP_CALL = { name: 'callTracer', options: { onlyTopCall: true, withLog: false } } as const

/** Blocks of one evm_mine_detailed. */
export const MAX_DETAILED_BLOCKS = 256

/** The newest sealed blocks with full transactions, their output and the reasons of reverts, oldest first. */
export async function minedBlocks(count: number, context: SendContext): Promise<Json> {
  const view = context.node.view()
  const { latest } = view.head.sealed
  const blocks: Json[] = []
  view.retain()
  try {
    for (let number = latest - count + 1; number <= latest; number++) {
      blocks.push(await minedBlock(number, view, context))
    }
  } finally {
    view.release()
  }
  return blocks
}

async function minedBlock(number: number, view: View, context: SendContext): Promise<Json> {
  const found = view.block({ kind: 'number', number })!
  const parentState = view.state({ kind: 'number', number: number - 1 })!
  const traced = await tracing(context, { tracer: TOP_CALL }, (options) =>
    traceBlock(context.engine, { block: found.block, parentState }, options),
  )
  const formatted = formatBlock(found, true)
  const transactions = (formatted.transactions as JsonRecord[]).map((transaction, index) => ({
    ...transaction,
    ...outcome(traced[index]!),
  }))
  return { ...formatted, transactions }
}

function outcome({ trace }: TracedTransaction): JsonRecord {
  if (trace.name !== 'callTracer') return {}
  const { output, error } = trace.top
  const revertReason = error === 'execution reverted' ? decodeRevertReason(output) : error
  return { output: bytesToHex(output), ...(revertReason !== undefined && { revertReason }) }
}
