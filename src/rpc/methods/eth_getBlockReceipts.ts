import { blockReference } from '../codecs/block-reference.ts'
import { EXAMPLE_RECEIPT } from '../examples.ts'
import { defineMethod, required } from '../method.ts'
import { arrayOf, orNull, RECEIPT_SCHEMA } from '../schemas.ts'

export const eth_getBlockReceipts = defineMethod({
  name: 'eth_getBlockReceipts',
  summary: 'All receipts of a block, by height, tag, hash or partial hash.',
  params: [required('block', blockReference)],
  result: orNull(arrayOf(RECEIPT_SCHEMA)),
  cost: 10,
  example: { params: ['pending'], result: [EXAMPLE_RECEIPT] },
  handle: ([reference], { view, ready }) => ready.receipts(view, reference),
})
