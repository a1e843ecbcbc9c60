import { hash } from '../codecs/bytes.ts'
import { EXAMPLE_RECEIPT, EXAMPLE_TRANSACTION_HASH } from '../examples.ts'
import { defineMethod, required } from '../method.ts'
import { orNull, RECEIPT_SCHEMA } from '../schemas.ts'

export const eth_getTransactionReceipt = defineMethod({
  name: 'eth_getTransactionReceipt',
  summary: 'The receipt of a sealed or pre-confirmed transaction; while pre-confirmed with the partial block hash.',
  params: [required('transactionHash', hash)],
  result: orNull(RECEIPT_SCHEMA),
  cost: 2,
  example: { params: [EXAMPLE_TRANSACTION_HASH], result: EXAMPLE_RECEIPT },
  handle: ([transactionHash], { view, ready }) => ready.receiptOf(view, transactionHash),
})
