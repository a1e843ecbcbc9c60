import { LATEST } from '../../node/core/block-reference.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { address, data } from '../codecs/bytes.ts'
import { stateAfter } from '../context.ts'
import { EXAMPLE_CONTRACT } from '../examples.ts'
import { defineMethod, optionalWith, required } from '../method.ts'

export const eth_getCode = defineMethod({
  name: 'eth_getCode',
  summary: 'Code of an account; at `pending` also of contracts that no block is sealed with yet.',
  params: [required('address', address), optionalWith('block', blockReference, LATEST)],
  result: data.schema,
  cost: 1,
  example: { params: [EXAMPLE_CONTRACT, 'latest'], result: '0x60003560206000a100' },
  handle([account, reference], context) {
    const state = stateAfter(context, reference)
    const found = context.view.account(state, account)
    return found === undefined ? '0x' : context.ready.code(state, found.codeHash)
  },
})
