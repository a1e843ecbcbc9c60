import { text } from '../codecs/text.ts'
import { defineMethod } from '../method.ts'

export const net_version = defineMethod({
  name: 'net_version',
  summary: 'The network id, in decimal.',
  params: [],
  result: text.schema,
  cost: 1,
  isSameInView: true,
  example: { params: [], result: '31337' },
  handle: (_, { options }) => options.networkId.toString(),
})
