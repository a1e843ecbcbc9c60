import { EXAMPLE_FILTER_ID } from '../examples.ts'
import { defineWritingMethod } from '../method.ts'
import { FILTER_ID_SCHEMA } from '../schemas.ts'

export const eth_newBlockFilter = defineWritingMethod({
  name: 'eth_newBlockFilter',
  summary: 'Watches blocks, for eth_getFilterChanges: the hash of each when it is sealed.',
  params: [],
  result: FILTER_ID_SCHEMA,
  cost: 2,
  example: { params: [], result: EXAMPLE_FILTER_ID },
  handle: (_, { filters, client, view }) => filters.watchBlocks(client, view),
})
