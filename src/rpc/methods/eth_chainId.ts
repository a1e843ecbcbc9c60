import { toQuantity } from '../../primitives/quantity.ts'
import { quantity } from '../codecs/quantity.ts'
import { defineMethod } from '../method.ts'

export const eth_chainId = defineMethod({
  name: 'eth_chainId',
  summary: 'The chain id that transactions are signed for.',
  params: [],
  result: quantity.schema,
  cost: 1,
  isSameInView: true,
  example: { params: [], result: '0x7a69' },
  handle: (_, { config }) => toQuantity(config.chainId),
})
