import { toQuantity } from '../../primitives/quantity.ts'
import { hash } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import { defineMethod, required } from '../method.ts'
import { orNull } from '../schemas.ts'

export const eth_getUncleCountByBlockHash = defineMethod({
  name: 'eth_getUncleCountByBlockHash',
  summary: 'How many uncles a block has: none unless it is of the proof-of-work time.',
  params: [required('blockHash', hash)],
  result: orNull(quantity.schema),
  cost: 1,
  example: { params: [`0x${'00'.repeat(32)}`], result: null },
  handle([reference], { view }) {
    const found = view.block({ kind: 'hash', hash: reference, requireCanonical: false })
    return found === undefined ? null : toQuantity(found.block.uncles.length)
  },
})
