import { toQuantity } from '../../primitives/quantity.ts'
import { quantity } from '../codecs/quantity.ts'
import { defineMethod } from '../method.ts'
import { halvesOf } from '../pool-content.ts'

export const txpool_status = defineMethod({
  name: 'txpool_status',
  summary: 'How many transactions wait: pending could run one after another, queued wait behind a nonce gap.',
  params: [],
  result: {
    type: 'object',
    properties: { pending: quantity.schema, queued: quantity.schema },
    required: ['pending', 'queued'],
  },
  cost: 5,
  example: { params: [], result: { pending: '0x0', queued: '0x1' } },
  async handle(_, context) {
    const { view, turn } = context
    let pending = 0
    for (const sender of view.pool.senders()) {
      await turn()
      pending += halvesOf(sender, context).pending.length
    }
    return { pending: toQuantity(pending), queued: toQuantity(view.pool.size - pending) }
  },
})
