import { address } from '../codecs/bytes.ts'
import { defineMethod } from '../method.ts'

export const eth_coinbase = defineMethod({
  name: 'eth_coinbase',
  summary: 'Who receives the tips of the open block.',
  params: [],
  result: address.schema,
  cost: 1,
  example: { params: [], result: '0x4200000000000000000000000000000000000011' },
  handle: (_, { view }) => view.head.pending.block.header.miner,
})
