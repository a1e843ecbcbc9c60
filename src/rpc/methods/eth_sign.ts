import { address, data } from '../codecs/bytes.ts'
import { unknownAccount } from '../errors.ts'
import { EXAMPLE_NO_KEYS } from '../examples.ts'
import { defineMethod, required } from '../method.ts'

export const eth_sign = defineMethod({
  name: 'eth_sign',
  // Otherwise unknown: clients then do for themselves what the node cannot do for them.
  dialect: 'ethereum',
  summary: 'Always refused: the node holds no keys.',
  params: [required('address', address), required('message', data)],
  result: data.schema,
  cost: 1,
  example: { params: ['0x0000000000000000000000000000000000000000', '0x'], error: EXAMPLE_NO_KEYS },
  handle() {
    throw unknownAccount()
  },
})
