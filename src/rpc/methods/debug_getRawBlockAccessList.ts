import { blockReference } from '../codecs/block-reference.ts'
import { data } from '../codecs/bytes.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { defineMethod, required } from '../method.ts'

export const debug_getRawBlockAccessList = defineMethod({
  name: 'debug_getRawBlockAccessList',
  summary: 'Always refused: no fork that is known here has block access lists (EIP-7928).',
  params: [required('block', blockReference)],
  result: data.schema,
  cost: 1,
  example: {
    params: ['latest'],
    error: { code: RPC_CODES.notFound, message: 'resource not found: the block has no access list' },
  },
  handle() {
    throw new RpcError(RPC_CODES.notFound, 'resource not found: the block has no access list')
  },
})
