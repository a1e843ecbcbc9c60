import { decodeBlock } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { isActive } from '../../chain/forks/forks.ts'
import { data } from '../codecs/bytes.ts'
import { traceConfig } from '../codecs/trace-config.ts'
import type { ReadContext } from '../context.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { EXAMPLE_CALL_TRACE, EXAMPLE_TRANSACTION_HASH } from '../examples.ts'
import { defineMethod, optional, required } from '../method.ts'
import { BLOCK_TRACE_SCHEMA } from '../schemas.ts'
import { answerBlock } from '../tracing.ts'

export const debug_traceBlock = defineMethod({
  name: 'debug_traceBlock',
  summary: 'What the transactions of a block would do that is given as RLP; its parent has to be in the chain.',
  params: [required('rlp', data), optional('config', traceConfig)],
  result: BLOCK_TRACE_SCHEMA,
  takesLong: true,
  cost: 1_000,
  example: {
    params: ['0x', { tracer: 'callTracer' }],
    result: [{ txHash: EXAMPLE_TRANSACTION_HASH, result: EXAMPLE_CALL_TRACE }],
  },
  async handle([raw, config], context) {
    const block = decoded(raw)
    refuseMisplaced(block.header, context)
    return answerBlock(context, block, config)
  },
})

/** What executing it relies on; whether the header is right otherwise does not matter to a trace. */
function refuseMisplaced(header: Header, { view, config }: ReadContext): void {
  const parent = view.header({ kind: 'hash', hash: header.parentHash, requireCanonical: false })
  if (parent !== undefined && header.number !== parent.number + 1) {
    throw new RpcError(RPC_CODES.server, `block number ${header.number} does not follow its parent's, ${parent.number}`)
  }
  const isCancun = isActive(forkAt(config, header.number, header.timestamp), 'cancun')
  if (isCancun && header.parentBeaconBlockRoot === undefined) {
    throw new RpcError(RPC_CODES.server, 'the header has no parentBeaconBlockRoot, which its fork wants')
  }
}

function decoded(raw: Uint8Array) {
  try {
    return decodeBlock(raw)
  } catch (error) {
    throw new RpcError(RPC_CODES.server, `could not decode block: ${(error as Error).message}`)
  }
}
