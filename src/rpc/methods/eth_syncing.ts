import { boolean } from '../codecs/boolean.ts'
import { defineMethod } from '../method.ts'

export const eth_syncing = defineMethod({
  name: 'eth_syncing',
  summary: 'Always false: the node builds the chain itself.',
  params: [],
  result: boolean.schema,
  cost: 1,
  example: { params: [], result: false },
  handle: () => false,
})
