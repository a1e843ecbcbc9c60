import { bytesToHex } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { boolean } from '../codecs/boolean.ts'
import { data, hash } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import { text } from '../codecs/text.ts'
import { namespaceOf } from '../protocol/namespaces.ts'
import { hasNoPendingBlock } from '../queries/pending-block.ts'
import { defineMethod, requiredParam } from '../registry/method.ts'
import { openRpcDocument } from '../registry/open-rpc.ts'
import { arrayOf } from '../schemas/schemas.ts'

export const net_listening = defineMethod({
  name: 'net_listening',
  summary: 'Always true: the node accepts connections.',
  params: [],
  result: boolean.schema,
  cost: 1,
  handle: () => true,
})

export const net_peerCount = defineMethod({
  name: 'net_peerCount',
  summary: 'Always 0: the node has no peers.',
  params: [],
  result: quantity.schema,
  cost: 1,
  handle: () => '0x0',
})

export const net_version = defineMethod({
  name: 'net_version',
  summary: 'The network id, in decimal.',
  params: [],
  result: text.schema,
  cost: 1,
  isSameInView: true,
  handle: (_, { options }) => options.networkId.toString(),
})

export const op_supportedCapabilities = defineMethod({
  name: 'op_supportedCapabilities',
  summary: 'Optional capabilities (OP-stack specs, flashblocks): pre-confirmations.',
  params: [],
  result: arrayOf(text.schema),
  cost: 1,
  handle: (_, { view, config }) => (hasNoPendingBlock(view, config) ? [] : ['flashblocksv1']),
})

/** Name defined by the OpenRPC specification. */
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
  handle: (_, { methods, options }) => openRpcDocument(methods.descriptions, options.version),
})

export const rpc_modules = defineMethod({
  name: 'rpc_modules',
  summary: 'The enabled namespaces and their versions.',
  params: [],
  result: { type: 'object', additionalProperties: { type: 'string' } },
  cost: 1,
  handle: (_, { methods }) => Object.fromEntries(methods.descriptions.map(({ name }) => [namespaceOf(name), '1.0'])),
})

export const web3_clientVersion = defineMethod({
  name: 'web3_clientVersion',
  summary: 'Name and version of the node.',
  params: [],
  result: text.schema,
  cost: 1,
  handle: (_, { options }) => options.clientVersion,
})

export const web3_sha3 = defineMethod({
  name: 'web3_sha3',
  summary: 'Keccak-256 of bytes.',
  params: [requiredParam('data', data)],
  result: hash.schema,
  cost: 1,
  handle: ([bytes]) => bytesToHex(keccak256(bytes)),
})
