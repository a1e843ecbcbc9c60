import { hash } from '../codecs/bytes.ts'
import { traceConfig } from '../codecs/trace-config.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { EXAMPLE_BLOCK_HASH, EXAMPLE_CALL_TRACE, EXAMPLE_TRANSACTION_HASH } from '../examples.ts'
import { defineMethod, optional, required } from '../method.ts'
import { BLOCK_TRACE_SCHEMA } from '../schemas.ts'
import { answerBlock } from '../tracing.ts'

export const debug_traceBlockByHash = defineMethod({
  name: 'debug_traceBlockByHash',
  summary: 'What the transactions of a block did that a hash names; of a partial hash, the part that it names.',
  params: [required('blockHash', hash), optional('config', traceConfig)],
  result: BLOCK_TRACE_SCHEMA,
  takesLong: true,
  cost: 1_000,
  example: {
    params: [EXAMPLE_BLOCK_HASH, { tracer: 'callTracer' }],
    result: [{ txHash: EXAMPLE_TRANSACTION_HASH, result: EXAMPLE_CALL_TRACE }],
  },
  async handle([blockHash, config], context) {
    const found = context.view.block({ kind: 'hash', hash: blockHash, requireCanonical: false })
    if (found === undefined) throw new RpcError(RPC_CODES.server, `block ${blockHash} not found`)
    return answerBlock(context, found.block, config)
  },
})
