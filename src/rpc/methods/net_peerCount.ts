import { quantity } from '../codecs/quantity.ts'
import { defineMethod } from '../method.ts'

export const net_peerCount = defineMethod({
  name: 'net_peerCount',
  summary: 'Always 0: the node has no peers, it makes the chain itself.',
  params: [],
  result: quantity.schema,
  cost: 1,
  example: { params: [], result: '0x0' },
  handle: () => '0x0',
})
