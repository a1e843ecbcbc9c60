import { hash } from '../codecs/bytes.ts'
import { count } from '../codecs/quantity.ts'
import { EXAMPLE_BLOCK_HASH, EXAMPLE_TRANSACTION } from '../examples.ts'
import { defineMethod, required } from '../method.ts'
import { orNull, TRANSACTION_SCHEMA } from '../schemas.ts'

export const eth_getTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockHashAndIndex',
  summary: 'The transaction at a position of a block, by its hash or a partial one.',
  params: [required('blockHash', hash), required('index', count)],
  result: orNull(TRANSACTION_SCHEMA),
  cost: 2,
  example: { params: [EXAMPLE_BLOCK_HASH, '0x0'], result: EXAMPLE_TRANSACTION },
  handle: ([hash, index], { view, ready }) =>
    ready.transaction(view.block({ kind: 'hash', hash, requireCanonical: false }), index),
})
