import { blockEnv } from '../../engine/block/block-env.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { quantity } from '../codecs/quantity.ts'
import { defineMethod } from '../method.ts'

export const eth_blobBaseFee = defineMethod({
  name: 'eth_blobBaseFee',
  summary: 'Wei per blob gas in the open block; layer-2 chains take no blobs and always answer 1.',
  params: [],
  result: quantity.schema,
  cost: 1,
  isSameInView: true,
  example: { params: [], result: '0x1' },
  handle: (_, { view, config }) => toQuantity(blockEnv(view.head.pending.block.header, config).blobBaseFee),
})
