import { blockHeight } from '../codecs/block-reference.ts'
import { boolean } from '../codecs/boolean.ts'
import { EXAMPLE_BLOCK } from '../examples.ts'
import { defineMethod, required } from '../method.ts'
import { BLOCK_SCHEMA, orNull } from '../schemas.ts'

export const eth_getBlockByNumber = defineMethod({
  name: 'eth_getBlockByNumber',
  summary: 'A block by height or tag; `pending` is the block as far as it is pre-confirmed. Null where there is none.',
  params: [required('block', blockHeight), required('fullTransactions', boolean)],
  result: orNull(BLOCK_SCHEMA),
  cost: 5,
  example: { params: ['pending', false], result: EXAMPLE_BLOCK },
  handle: ([reference, fullTransactions], { view, ready }) => ready.block(view, reference, fullTransactions),
})
