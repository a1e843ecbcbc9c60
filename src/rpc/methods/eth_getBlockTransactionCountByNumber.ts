import { toQuantity } from '../../primitives/quantity.ts'
import { blockHeight } from '../codecs/block-reference.ts'
import { quantity } from '../codecs/quantity.ts'
import { defineMethod, required } from '../method.ts'
import { orNull } from '../schemas.ts'

export const eth_getBlockTransactionCountByNumber = defineMethod({
  name: 'eth_getBlockTransactionCountByNumber',
  summary: 'How many transactions a block has; `pending`: has so far.',
  params: [required('block', blockHeight)],
  result: orNull(quantity.schema),
  cost: 1,
  example: { params: ['pending'], result: '0x1' },
  handle([reference], { view }) {
    const found = view.block(reference)
    return found === undefined ? null : toQuantity(found.block.transactions.length)
  },
})
