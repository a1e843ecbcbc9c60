import { decodeBlock } from '../../chain/block-codec.ts'
import { data } from '../codecs/bytes.ts'
import { traceConfig } from '../codecs/trace-config.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { defineMethod, optional, required } from '../method.ts'
import { BLOCK_TRACE_SCHEMA } from '../schemas.ts'
import { answerBlock } from '../tracing.ts'

export const debug_traceBlock = defineMethod({
  name: 'debug_traceBlock',
  summary: 'What the transactions of a block would do that is given as RLP; its parent has to be in the chain.',
  params: [required('block', data), optional('config', traceConfig)],
  result: BLOCK_TRACE_SCHEMA,
  cost: 1_000,
  example: { params: ['0x', { tracer: 'callTracer' }], result: [] },
  async handle([raw, config], context) {
    return answerBlock(context, decoded(raw), config)
  },
})

function decoded(raw: Uint8Array) {
  try {
    return decodeBlock(raw)
  } catch (error) {
    throw new RpcError(RPC_CODES.server, `could not decode block: ${(error as Error).message}`)
  }
}
