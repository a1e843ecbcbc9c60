import { callObject } from '../codecs/call-object.ts'
import { unknownAccount } from '../errors.ts'
import { EXAMPLE_ACCOUNT, EXAMPLE_CALL, EXAMPLE_NO_KEYS } from '../examples.ts'
import { defineMethod, required } from '../method.ts'

export const eth_signTransaction = defineMethod({
  name: 'eth_signTransaction',
  // Otherwise unknown: clients then do for themselves what the node cannot do for them.
  dialect: 'ethereum',
  summary: 'Always refused: the node holds no keys. eth_fillTransaction fills in what is missing.',
  params: [required('transaction', callObject)],
  result: { type: 'object', required: ['raw', 'tx'] },
  cost: 1,
  example: { params: [{ ...EXAMPLE_CALL, from: EXAMPLE_ACCOUNT }], error: EXAMPLE_NO_KEYS },
  handle() {
    throw unknownAccount()
  },
})
