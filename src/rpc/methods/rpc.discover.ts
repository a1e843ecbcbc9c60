import { defineMethod } from '../method.ts'
import { openRpcDocument } from '../open-rpc.ts'

/** The name is the OpenRPC specification's. */
export const rpc_discover = defineMethod({
  name: 'rpc.discover',
  summary: 'The OpenRPC document: every method with its parameters, result and an example.',
  params: [],
  result: {
    type: 'object',
    properties: {
      openrpc: { type: 'string' },
      info: { type: 'object', required: ['title', 'version'] },
      methods: { type: 'array', items: { type: 'object', required: ['name', 'params', 'result', 'examples'] } },
    },
    required: ['openrpc', 'info', 'methods'],
  },
  cost: 5,
  example: {
    params: [],
    result: { openrpc: '1.3.2', info: { title: 'Tickertape JSON-RPC', version: '0.1.0' }, methods: [] },
  },
  handle: (_, { methods, options }) => openRpcDocument(methods.descriptions, options.version),
})
