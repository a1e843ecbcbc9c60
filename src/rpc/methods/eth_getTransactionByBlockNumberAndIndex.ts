import { blockHeight } from '../codecs/block-reference.ts'
import { count } from '../codecs/quantity.ts'
import { EXAMPLE_TRANSACTION } from '../examples.ts'
import { defineMethod, required } from '../method.ts'
import { orNull, TRANSACTION_SCHEMA } from '../schemas.ts'

export const eth_getTransactionByBlockNumberAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  summary: 'The transaction at a position of a block.',
  params: [required('block', blockHeight), required('index', count)],
  result: orNull(TRANSACTION_SCHEMA),
  cost: 2,
  example: { params: ['pending', '0x0'], result: EXAMPLE_TRANSACTION },
  handle: ([reference, index], { view, ready }) => ready.transaction(view.block(reference), index),
})
