import { address } from '../codecs/bytes.ts'
import { defineMethod } from '../method.ts'
import { arrayOf } from '../schemas.ts'

export const eth_accounts = defineMethod({
  name: 'eth_accounts',
  summary: 'Always empty: the node keeps no keys.',
  params: [],
  result: arrayOf(address.schema),
  cost: 1,
  example: { params: [], result: [] },
  handle: () => [],
})
