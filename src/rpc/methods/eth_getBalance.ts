import { LATEST } from '../../node/core/block-reference.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { address } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import { stateAfter } from '../context.ts'
import { EXAMPLE_ACCOUNT } from '../examples.ts'
import { defineMethod, optionalWith, required } from '../method.ts'

export const eth_getBalance = defineMethod({
  name: 'eth_getBalance',
  summary: 'Wei of an account after a block; `pending`: after the newest flashblock.',
  params: [required('address', address), optionalWith('block', blockReference, LATEST)],
  result: quantity.schema,
  cost: 1,
  example: { params: [EXAMPLE_ACCOUNT, 'earliest'], result: '0x21e19e0c9bab2400000' },
  handle([account, reference], context) {
    const state = stateAfter(context, reference)
    return toQuantity(context.view.account(state, account)?.balance ?? 0n)
  },
})
