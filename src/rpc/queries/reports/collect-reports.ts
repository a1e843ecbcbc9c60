import { DEPOSITOR_ADDRESS } from '../../../chain/system-transactions/l1-attributes.ts'
import type { Trace, TraceOptions, TracerChoice } from '../../../engine/trace/create-tracer.ts'
import { traceBlock } from '../../../engine/trace/trace-block.ts'
import { TraceBudget } from '../../../engine/trace/trace-budget.ts'
import { ExecutionStoppedError } from '../../../engine/types.ts'
import type { BlockView } from '../../../node/view/view.ts'
import type { ReadContext } from '../../context/reading.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import type { ReportPosition, Reports } from '../../reports/report-recording.ts'
import { blockAt } from '../parity-tracing.ts'
import { replayOf, tracing } from '../tracing.ts'

/** Blocks that one report reads. */
export const MAX_REPORTED_BLOCKS = 100_000
/** Transactions that one report replays. */
export const MAX_REPORTED_TRANSACTIONS = 100_000

interface Collection {
  readonly from: ReportPosition
  /** Number of the last block; that of the open block is the pending one. */
  readonly to: number
  /** In milliseconds. Default: the longest time of a trace. */
  readonly timeout?: number | undefined
}

/**
 * Replays the transactions of a range and adds them to reports.
 *
 * @throws RpcError when there are too many blocks or transactions, or the time is over
 */
export async function collectReports(
  context: ReadContext,
  { from, to, timeout = context.options.maxTraceTimeoutMs }: Collection,
  reports: Reports,
): Promise<void> {
  if (to - from.number >= MAX_REPORTED_BLOCKS) {
    throw tooMuch(`the range has ${to - from.number + 1} blocks, at most ${MAX_REPORTED_BLOCKS} make a report`)
  }
  const pending = context.view.head.pending.block.header.number
  await tracing(context, { tracer: tracerFor(reports), timeout }, async (options) => {
    for (let { number, index } = from; number <= to; number++, index = 0) {
      if (options.mayContinue !== undefined && !(await options.mayContinue())) throw outOfTime(number)
      const found = blockAt(context, number, pending)
      if (found === undefined) continue
      await addBlock(context, { found, index }, options, reports).catch((error: unknown) => {
        throw error instanceof ExecutionStoppedError ? outOfTime(number) : error
      })
    }
  })
}

async function addBlock(
  context: ReadContext,
  { found: { block }, index }: { readonly found: BlockView; readonly index: number },
  options: TraceOptions,
  reports: Reports,
): Promise<void> {
  const added = block.transactions.slice(index).filter(({ from }) => from !== DEPOSITOR_ADDRESS)
  if (added.length === 0) return
  reports.transactions += added.length
  if (reports.transactions > MAX_REPORTED_TRANSACTIONS) {
    throw tooMuch(`the report has more than ${MAX_REPORTED_TRANSACTIONS} transactions at block ${block.header.number}`)
  }
  const hashes = new Set(added.map(({ hash }) => hash))
  const budget = new TraceBudget(context.options.maxTraceBytes)
  const replay = replayOf(context, block)
  for (const { hash, trace } of await traceBlock(context.engine, replay, { ...options, budget }, { from: index })) {
    if (hashes.has(hash)) addTrace(trace, reports)
  }
}

/** Replays for both reports run once. */
function tracerFor({ gas, coverage }: Reports): TracerChoice {
  const tracers = [...(gas ? ['frameGasTracer' as const] : []), ...(coverage ? ['coverageTracer' as const] : [])]
  return { name: 'muxTracer', tracers: tracers.map((name) => [name, { name }]) }
}

function addTrace(trace: Trace, reports: Reports): void {
  if (trace.name === 'frameGasTracer') reports.gas?.add(trace.frames)
  else if (trace.name === 'coverageTracer') reports.coverage?.add(trace.codes)
  else if (trace.name === 'muxTracer') for (const [, each] of trace.traces) addTrace(each, reports)
}

function tooMuch(problem: string): RpcError {
  return new RpcError(RPC_CODES.server, `${problem}: choose fewer with fromBlock and toBlock`)
}

function outOfTime(number: number): RpcError {
  return new RpcError(
    RPC_CODES.server,
    `execution timeout: the report reached block ${number}; choose fewer blocks with fromBlock and toBlock, or allow more time (--max-trace-timeout-ms)`,
  )
}
