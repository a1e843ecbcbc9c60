import { toQuantity } from '../../primitives/quantity.ts'
import { blockHeight } from '../codecs/block-reference.ts'
import { quantity } from '../codecs/quantity.ts'
import { defineMethod, required } from '../method.ts'
import { orNull } from '../schemas.ts'

export const eth_getUncleCountByBlockNumber = defineMethod({
  name: 'eth_getUncleCountByBlockNumber',
  summary: 'How many uncles a block has: none unless it is of the proof-of-work time.',
  params: [required('block', blockHeight)],
  result: orNull(quantity.schema),
  cost: 1,
  example: { params: ['latest'], result: '0x0' },
  handle([reference], { view }) {
    const found = view.block(reference)
    return found === undefined ? null : toQuantity(found.block.uncles.length)
  },
})
