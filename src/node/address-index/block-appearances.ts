import type { Block } from '../../chain/block/block.ts'
import { traceBlock } from '../../engine/trace/trace-block.ts'
import { TraceBudget } from '../../engine/trace/trace-budget.ts'
import type { Engine, MayContinue } from '../../engine/types.ts'
import type { Address } from '../../primitives/hex.ts'
import type { StateReader } from '../../state/state-reader.ts'

/** Bytes of the trace of a block: far more than a block that was built needs. */
const MAX_TRACE_BYTES = 2 ** 30

/**
 * The transactions of a block in which each address appears: as sender or recipient, or in a call, creation or
 * self-destruction below. Calls of precompiles that transfer nothing do not count.
 *
 * @throws ReplayError, TraceTooLargeError, ExecutionStoppedError and errors of the reader
 */
export async function blockAppearances(
  engine: Engine,
  {
    block,
    parentState,
  }: { readonly block: Pick<Block, 'header' | 'hash' | 'transactions'>; readonly parentState: StateReader },
  { mayContinue, maxTraceBytes = MAX_TRACE_BYTES }: { mayContinue?: MayContinue; maxTraceBytes?: number } = {},
): Promise<ReadonlyMap<Address, readonly number[]>> {
  const appearances = new Map<Address, number[]>()
  if (block.transactions.length === 0) return appearances
  const add = (address: Address | null | undefined, index: number) => {
    if (address === undefined || address === null) return
    const indexes = appearances.get(address)
    if (indexes === undefined) appearances.set(address, [index])
    else if (indexes.at(-1) !== index) indexes.push(index)
  }
  const tracer = { name: 'parityTracer', options: { trace: true } } as const
  const budget = new TraceBudget(maxTraceBytes)
  const options = { tracer, budget, ...(mayContinue && { mayContinue }) }
  const traced = await traceBlock(engine, { block, parentState }, options)
  for (const [index, { from, to }] of block.transactions.entries()) {
    add(from, index)
    add(to, index)
    const trace = traced[index]?.trace
    for (const { start } of trace?.name === 'parityTracer' ? (trace.trace.frames ?? []) : []) {
      add(start.from, index)
      add(start.to, index)
    }
  }
  return appearances
}
