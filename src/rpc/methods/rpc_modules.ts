import { defineMethod } from '../method.ts'
import { namespaceOf } from '../namespaces.ts'

export const rpc_modules = defineMethod({
  name: 'rpc_modules',
  summary: 'The namespaces of the methods that this node has, with their version.',
  params: [],
  result: { type: 'object', additionalProperties: { type: 'string' } },
  cost: 1,
  example: {
    params: [],
    result: {
      base: '1.0',
      debug: '1.0',
      eth: '1.0',
      net: '1.0',
      op: '1.0',
      rpc: '1.0',
      testing: '1.0',
      tickertape: '1.0',
      txpool: '1.0',
      web3: '1.0',
    },
  },
  handle: (_, { methods }) => Object.fromEntries(methods.descriptions.map(({ name }) => [namespaceOf(name), '1.0'])),
})
