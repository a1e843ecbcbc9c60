import { defineMethod } from '../method.ts'
import { arrayOf } from '../schemas.ts'

export const debug_getBadBlocks = defineMethod({
  name: 'debug_getBadBlocks',
  summary: 'Always empty: the node is sent no blocks by others, so that it has seen no bad ones.',
  params: [],
  result: arrayOf({ type: 'object' }),
  cost: 1,
  example: { params: [], result: [] },
  handle: () => [],
})
