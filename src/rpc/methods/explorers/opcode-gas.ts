import type { Block } from '../../../chain/block/block.ts'
import { opcodeName } from '../../../engine/trace/opcode-names.ts'
import { traceBlock } from '../../../engine/trace/trace-block.ts'
import { blockReference } from '../../codecs/block-reference.ts'
import { hash } from '../../codecs/bytes.ts'
import type { ReadContext } from '../../context/reading.ts'
import type { JsonRecord } from '../../protocol/json.ts'
import { replayOf, tracing } from '../../queries/tracing.ts'
import { defineMethod, requiredParam } from '../../registry/method.ts'
import { OPCODE_GAS_SCHEMA } from '../../schemas/explorer-schemas.ts'
import { arrayOf, noun, orNull } from '../../schemas/schemas.ts'

export const trace_transactionOpcodeGas = defineMethod({
  name: 'trace_transactionOpcodeGas',
  summary: 'How often each instruction ran in a transaction, and its gas; calls include the gas that they passed on.',
  params: [requiredParam('transactionHash', hash)],
  result: orNull(OPCODE_GAS_SCHEMA),
  takesLong: true,
  cost: 500,
  async handle([transactionHash], context) {
    const found = context.view.transaction(transactionHash)
    if (found?.kind !== 'included') return null
    const [used] = await opcodeGas(context, found.block.block, found.index)
    return used!
  },
})

export const trace_blockOpcodeGas = defineMethod({
  name: 'trace_blockOpcodeGas',
  summary: 'As trace_transactionOpcodeGas, for all transactions of a block; null for an unknown block.',
  params: [requiredParam('block', blockReference)],
  result: orNull(
    noun('instructions of a block', {
      blockHash: hash.schema,
      blockNumber: { type: 'integer' },
      transactions: arrayOf(OPCODE_GAS_SCHEMA),
    }),
  ),
  takesLong: true,
  cost: 1_000,
  async handle([reference], context) {
    const found = context.view.block(reference)
    if (found === undefined) return null
    const { block } = found
    return { blockHash: block.hash, blockNumber: block.header.number, transactions: await opcodeGas(context, block) }
  },
})

const TRACER = { tracer: { name: 'opcodeGasTracer' } } as const

/**
 * The gas of each instruction of the transactions of a block, in the format of reth.
 *
 * @param only index of the single transaction to replay
 */
function opcodeGas(
  context: ReadContext,
  block: Pick<Block, 'header' | 'hash' | 'transactions'>,
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
