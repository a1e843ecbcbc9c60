import { toQuantity } from '../../primitives/quantity.ts'
import { quantity } from '../codecs/quantity.ts'
import { defineMethod } from '../method.ts'

export const eth_baseFee = defineMethod({
  name: 'eth_baseFee',
  summary: 'Wei per gas that the open block burns or collects: the base fee of the block after latest.',
  params: [],
  result: quantity.schema,
  cost: 1,
  isSameInView: true,
  example: { params: [], result: '0x4c4b40' },
  handle: (_, { view }) => toQuantity(view.head.pending.block.header.baseFeePerGas ?? 0n),
})
