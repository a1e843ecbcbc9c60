import { LATEST } from '../../node/core/block-reference.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { address } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import { stateAfter } from '../context.ts'
import { EXAMPLE_ACCOUNT } from '../examples.ts'
import { defineMethod, optionalWith, required } from '../method.ts'

export const eth_getTransactionCount = defineMethod({
  name: 'eth_getTransactionCount',
  summary: 'Nonce of an account. At `pending` it counts flashblocks and its consecutive transactions in the pool.',
  params: [required('address', address), optionalWith('block', blockReference, LATEST)],
  result: quantity.schema,
  cost: 1,
  example: { params: [EXAMPLE_ACCOUNT, 'pending'], result: '0x2' },
  handle([account, reference], context) {
    const { view } = context
    if (reference.kind === 'tag' && reference.tag === 'pending') return toQuantity(view.pendingNonce(account))
    const state = stateAfter(context, reference)
    return toQuantity(view.account(state, account)?.nonce ?? 0n)
  },
})
