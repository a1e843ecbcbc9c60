import { toQuantity } from '../../primitives/quantity.ts'
import { quantity } from '../codecs/quantity.ts'
import { defineMethod } from '../method.ts'

export const eth_gasPrice = defineMethod({
  name: 'eth_gasPrice',
  summary: "Wei per gas for a legacy transaction: the open block's base fee and a tip.",
  params: [],
  result: quantity.schema,
  cost: 5,
  isSameInView: true,
  example: { params: [], result: '0x5b8d80' },
  handle: (_, { view, tips }) => {
    const { baseFeePerGas = 0n } = view.head.pending.block.header
    return toQuantity(baseFeePerGas + tips.suggest(view))
  },
})
