import { blockReference } from '../../codecs/block-reference.ts'
import { hash } from '../../codecs/bytes.ts'
import { opcodeGas } from '../../queries/opcode-gas.ts'
import { EXAMPLE_BLOCK_HASH, EXAMPLE_TRANSACTION_HASH } from '../../registry/examples.ts'
import { EXAMPLE_OPCODE_GAS } from '../../registry/explorer-examples.ts'
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
  example: { params: [EXAMPLE_TRANSACTION_HASH], result: EXAMPLE_OPCODE_GAS },
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
  example: {
    params: ['pending'],
    result: { blockHash: EXAMPLE_BLOCK_HASH, blockNumber: 2, transactions: [EXAMPLE_OPCODE_GAS] },
  },
  async handle([reference], context) {
    const found = context.view.block(reference)
    if (found === undefined) return null
    const { block } = found
    return { blockHash: block.hash, blockNumber: block.header.number, transactions: await opcodeGas(context, block) }
  },
})
