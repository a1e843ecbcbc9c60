import { DEPOSITOR_ADDRESS } from '../../../chain/system-transactions/l1-attributes.ts'
import type { Trace, TraceOptions, TracerChoice } from '../../../engine/trace/create-tracer.ts'
import { traceBlock } from '../../../engine/trace/trace-block.ts'
import { TraceBudget, TraceTooLargeError } from '../../../engine/trace/trace-budget.ts'
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
  /** What the client can do when a limit is reached. Default: to choose fewer blocks. */
  readonly advice?: string
  /** Called with the position after the added transactions of each block. */
  readonly onBlock?: (next: ReportPosition) => void
}

const RANGE_ADVICE =
  'choose fewer blocks with fromBlock and toBlock, or restart the node with a larger --max-trace-timeout-ms'

/** The reports cannot become larger: what they have is right, but they lack transactions. */
export class ReportFullError extends RpcError {}

/**
 * Replays the transactions of a range and adds them to reports.
 *
 * @throws RpcError when there are too many blocks, or the time is over; ReportFullError
 */
export async function collectReports(
  context: ReadContext,
  { from, to, timeout = context.options.maxTraceTimeoutMs, advice = RANGE_ADVICE, onBlock }: Collection,
  reports: Reports,
): Promise<void> {
  if (to - from.number >= MAX_REPORTED_BLOCKS) {
    const problem = `the range has ${to - from.number + 1} blocks, at most ${MAX_REPORTED_BLOCKS} make a report`
    throw new RpcError(RPC_CODES.server, `${problem}: ${advice}`)
  }
  const pending = context.view.head.pending.block.header.number
  const outOfTime = (number: number) =>
    new RpcError(RPC_CODES.server, `execution timeout: the report reached block ${number}; ${advice}`)
  await tracing(context, { tracer: tracerFor(reports), timeout }, async (options) => {
    for (let { number, index } = from; number <= to; number++, index = 0) {
      if (options.mayContinue !== undefined && !(await options.mayContinue())) throw outOfTime(number)
      const found = blockAt(context, number, pending)
      if (found === undefined) continue
      const { block } = found
      const traces = await tracesOf(context, { block, index }, options).catch((error: unknown) => {
        throw error instanceof ExecutionStoppedError ? outOfTime(number) : error
      })
      onBlock?.({ number, index: block.transactions.length })
      addTraces(traces, reports)
    }
  })
}

/** Traces of the transactions of a block from an index on, without those of the node itself. */
async function tracesOf(
  context: ReadContext,
  { block, index }: Pick<BlockView, 'block'> & { readonly index: number },
  options: TraceOptions,
): Promise<readonly Trace[]> {
  const added = block.transactions.slice(index).filter(({ from }) => from !== DEPOSITOR_ADDRESS)
  if (added.length === 0) return []
  const hashes = new Set(added.map(({ hash }) => hash))
  const budget = new TraceBudget(context.options.maxTraceBytes)
  const traced = await traceBlock(context.engine, replayOf(context, block), { ...options, budget }, { from: index })
  return traced.filter(({ hash }) => hashes.has(hash)).map(({ trace }) => trace)
}

/** @throws ReportFullError */
function addTraces(traces: readonly Trace[], reports: Reports): void {
  if (reports.transactions + traces.length > MAX_REPORTED_TRANSACTIONS) {
    const problem = `the report would have more than ${MAX_REPORTED_TRANSACTIONS} transactions`
    throw new ReportFullError(RPC_CODES.server, `${problem}: choose fewer blocks, or start it again`)
  }
  reports.transactions += traces.length
  try {
    for (const trace of traces) addTrace(trace, reports)
  } catch (error) {
    if (!(error instanceof TraceTooLargeError)) throw error
    const problem = `the report is larger than ${error.maxBytes} bytes`
    throw new ReportFullError(RPC_CODES.responseTooLarge, `${problem}: choose fewer blocks, or start it again`)
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
