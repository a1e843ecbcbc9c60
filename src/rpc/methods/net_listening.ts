import { boolean } from '../codecs/boolean.ts'
import { defineMethod } from '../method.ts'

export const net_listening = defineMethod({
  name: 'net_listening',
  summary: 'Whether the node takes connections: it does, since it answers.',
  params: [],
  result: boolean.schema,
  cost: 1,
  example: { params: [], result: true },
  handle: () => true,
})
