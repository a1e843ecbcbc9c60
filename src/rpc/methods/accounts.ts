import { address, data, hash } from '../codecs/bytes.ts'
import { callObject } from '../codecs/call-object.ts'
import { unknownAccount } from '../errors.ts'
import { EXAMPLE_ACCOUNT, EXAMPLE_CALL, EXAMPLE_NO_KEYS } from '../registry/examples.ts'
import { defineMethod, requiredParam } from '../registry/method.ts'
import { arrayOf } from '../registry/schemas.ts'

export const eth_accounts = defineMethod({
  name: 'eth_accounts',
  summary: 'Always empty: the node keeps no keys.',
  params: [],
  result: arrayOf(address.schema),
  cost: 1,
  example: { params: [], result: [] },
  handle: () => [],
})

export const eth_sign = defineMethod({
  name: 'eth_sign',
  // Unknown in dialect `base`, so that clients sign locally instead of asking the node.
  dialect: 'ethereum',
  summary: 'Always refused: the node holds no keys.',
  params: [requiredParam('address', address), requiredParam('message', data)],
  result: data.schema,
  cost: 1,
  example: { params: ['0x0000000000000000000000000000000000000000', '0x'], error: EXAMPLE_NO_KEYS },
  handle() {
    throw unknownAccount()
  },
})

export const eth_signTransaction = defineMethod({
  name: 'eth_signTransaction',
  // Unknown in dialect `base`, so that clients sign locally instead of asking the node.
  dialect: 'ethereum',
  summary: 'Always refused: the node holds no keys. eth_fillTransaction fills in what is missing.',
  params: [requiredParam('transaction', callObject)],
  result: { type: 'object', required: ['raw', 'tx'] },
  cost: 1,
  example: { params: [{ ...EXAMPLE_CALL, from: EXAMPLE_ACCOUNT }], error: EXAMPLE_NO_KEYS },
  handle() {
    throw unknownAccount()
  },
})

export const eth_sendTransaction = defineMethod({
  name: 'eth_sendTransaction',
  // Unknown in dialect `base`, so that clients sign locally instead of asking the node.
  dialect: 'ethereum',
  summary: 'Always refused: the node holds no keys. Sign it yourself and use eth_sendRawTransaction.',
  params: [requiredParam('transaction', callObject)],
  result: hash.schema,
  cost: 1,
  example: { params: [{}], error: EXAMPLE_NO_KEYS },
  handle() {
    throw unknownAccount()
  },
})
