import type { Block } from '../../chain/block/block.ts'
import { opcodeName } from '../../engine/trace/opcode-names.ts'
import { traceBlock } from '../../engine/trace/trace-block.ts'
import type { ReadContext } from '../context/reading.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { replayOf, tracing } from './tracing.ts'

const TRACER = { tracer: { name: 'opcodeGasTracer' } } as const

/**
 * The gas of each instruction of the transactions of a block, in the format of reth.
 *
 * @param only index of the single transaction to replay
 */
export function opcodeGas(
  context: ReadContext,
  block: Pick<Block, 'header' | 'transactions'>,
  only?: number,
): Promise<readonly JsonRecord[]> {
  return tracing(context, TRACER, async (options) => {
    if (block.transactions.length === 0) return []
    const traced = await traceBlock(context.engine, replayOf(context, block), options, only)
    return traced.map(({ hash: transactionHash, trace }) => {
      if (trace.name !== 'opcodeGasTracer') throw new Error(`traced by ${trace.name}`)
      return {
        transactionHash,
        opcodeGas: trace.used.map(({ opcode, count, gasUsed }) => ({ opcode: opcodeName(opcode), count, gasUsed })),
      }
    })
  })
}
