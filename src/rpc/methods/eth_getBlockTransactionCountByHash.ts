import { toQuantity } from '../../primitives/quantity.ts'
import { hash } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import { EXAMPLE_BLOCK_HASH } from '../examples.ts'
import { defineMethod, required } from '../method.ts'
import { orNull } from '../schemas.ts'

export const eth_getBlockTransactionCountByHash = defineMethod({
  name: 'eth_getBlockTransactionCountByHash',
  summary: 'How many transactions a block has, by its hash or a partial one.',
  params: [required('blockHash', hash)],
  result: orNull(quantity.schema),
  cost: 1,
  example: { params: [EXAMPLE_BLOCK_HASH], result: '0x1' },
  handle([blockHash], { view }) {
    const found = view.block({ kind: 'hash', hash: blockHash, requireCanonical: false })
    return found === undefined ? null : toQuantity(found.block.transactions.length)
  },
})
