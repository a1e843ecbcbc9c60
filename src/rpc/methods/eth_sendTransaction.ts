import { hash } from '../codecs/bytes.ts'
import { callObject } from '../codecs/call-object.ts'
import { unknownAccount } from '../errors.ts'
import { EXAMPLE_NO_KEYS } from '../examples.ts'
import { defineMethod, required } from '../method.ts'

export const eth_sendTransaction = defineMethod({
  name: 'eth_sendTransaction',
  // Otherwise unknown: clients then do for themselves what the node cannot do for them.
  dialect: 'ethereum',
  summary: 'Always refused: the node holds no keys. Sign it yourself and use eth_sendRawTransaction.',
  params: [required('transaction', callObject)],
  result: hash.schema,
  cost: 1,
  example: { params: [{}], error: EXAMPLE_NO_KEYS },
  handle() {
    throw unknownAccount()
  },
})
