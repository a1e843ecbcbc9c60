import { boolean } from '../codecs/boolean.ts'
import { hash } from '../codecs/bytes.ts'
import { EXAMPLE_BLOCK, EXAMPLE_BLOCK_HASH } from '../examples.ts'
import { defineMethod, required } from '../method.ts'
import { BLOCK_SCHEMA, orNull } from '../schemas.ts'

export const eth_getBlockByHash = defineMethod({
  name: 'eth_getBlockByHash',
  summary: 'A block by its hash, or by a partial hash of a recent flashblock: then as it was at that flashblock.',
  params: [required('blockHash', hash), required('fullTransactions', boolean)],
  result: orNull(BLOCK_SCHEMA),
  cost: 5,
  example: { params: [EXAMPLE_BLOCK_HASH, false], result: EXAMPLE_BLOCK },
  handle: ([hash, fullTransactions], { view, ready }) =>
    ready.block(view, { kind: 'hash', hash, requireCanonical: false }, fullTransactions),
})
