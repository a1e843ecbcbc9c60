import { blockHeight } from '../codecs/block-reference.ts'
import { traceConfig } from '../codecs/trace-config.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { EXAMPLE_CALL_TRACE, EXAMPLE_TRANSACTION_HASH } from '../examples.ts'
import { defineMethod, optional, required } from '../method.ts'
import { BLOCK_TRACE_SCHEMA } from '../schemas.ts'
import { answerBlock } from '../tracing.ts'

export const debug_traceBlockByNumber = defineMethod({
  name: 'debug_traceBlockByNumber',
  summary: 'What the transactions of a block did, `pending` included, by executing them again.',
  params: [required('block', blockHeight), optional('config', traceConfig)],
  result: BLOCK_TRACE_SCHEMA,
  takesLong: true,
  cost: 1_000,
  example: {
    params: ['pending', { tracer: 'callTracer' }],
    result: [{ txHash: EXAMPLE_TRANSACTION_HASH, result: EXAMPLE_CALL_TRACE }],
  },
  async handle([reference, config], context) {
    const found = context.view.block(reference)
    if (found === undefined) {
      throw new RpcError(RPC_CODES.server, `block #${context.view.number(reference)} not found`)
    }
    return answerBlock(context, found.block, config)
  },
})
