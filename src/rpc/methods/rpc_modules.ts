import { defineMethod } from '../method.ts'

export const rpc_modules = defineMethod({
  name: 'rpc_modules',
  summary: 'The namespaces of the methods that this node has, with their version.',
  params: [],
  result: { type: 'object', additionalProperties: { type: 'string' } },
  cost: 1,
  example: { params: [], result: { eth: '1.0', net: '1.0' } },
  handle: (_, { methods }) => Object.fromEntries(methods.names.map((name) => [name.split('_')[0]!, '1.0'])),
})
