import { toQuantity } from '../../primitives/quantity.ts'
import { quantity } from '../codecs/quantity.ts'
import { defineMethod } from '../method.ts'

export const eth_maxPriorityFeePerGas = defineMethod({
  name: 'eth_maxPriorityFeePerGas',
  summary: 'A tip in wei per gas, learnt from recent blocks.',
  params: [],
  result: quantity.schema,
  cost: 5,
  isSameInView: true,
  example: { params: [], result: '0xf4240' },
  handle: (_, { view, tips }) => toQuantity(tips.suggest(view)),
})
