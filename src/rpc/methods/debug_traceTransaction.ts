import { hash } from '../codecs/bytes.ts'
import { traceConfig } from '../codecs/trace-config.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { EXAMPLE_CALL_TRACE, EXAMPLE_TRANSACTION_HASH } from '../examples.ts'
import { defineMethod, optional, required } from '../method.ts'
import { TRACE_SCHEMA } from '../schemas.ts'
import { answerTransaction } from '../tracing.ts'

export const debug_traceTransaction = defineMethod({
  name: 'debug_traceTransaction',
  summary: 'What an included transaction did, pre-confirmed ones too, by executing it again where it was.',
  params: [required('transactionHash', hash), optional('config', traceConfig)],
  result: TRACE_SCHEMA,
  takesLong: true,
  cost: 500,
  example: { params: [EXAMPLE_TRANSACTION_HASH, { tracer: 'callTracer' }], result: EXAMPLE_CALL_TRACE },
  async handle([transactionHash, config], context) {
    const found = context.view.transaction(transactionHash)
    if (found?.kind !== 'included') throw new RpcError(RPC_CODES.server, 'transaction not found')
    return answerTransaction(context, found.block.block, found.index, config)
  },
})
