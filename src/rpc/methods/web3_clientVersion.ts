import { text } from '../codecs/text.ts'
import { defineMethod } from '../method.ts'

export const web3_clientVersion = defineMethod({
  name: 'web3_clientVersion',
  summary: 'Name and version of the node.',
  params: [],
  result: text.schema,
  cost: 1,
  example: { params: [], result: 'Tickertape/v0.1.0/linux-x64/node20.19.0' },
  handle: (_, { options }) => options.clientVersion,
})
