import { toQuantity } from '../../primitives/quantity.ts'
import { quantity } from '../codecs/quantity.ts'
import { defineMethod } from '../method.ts'

export const eth_blockNumber = defineMethod({
  name: 'eth_blockNumber',
  summary: 'Height of the newest sealed block.',
  params: [],
  result: quantity.schema,
  cost: 1,
  isSameInView: true,
  example: { params: [], result: '0x1' },
  handle: (_, { view }) => toQuantity(view.head.sealed.latest),
})
