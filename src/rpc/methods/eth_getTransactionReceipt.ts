import { hash } from '../codecs/bytes.ts'
import { defineMethod, required } from '../method.ts'
import { orNull, RECEIPT_SCHEMA } from '../schemas.ts'

export const eth_getTransactionReceipt = defineMethod({
  name: 'eth_getTransactionReceipt',
  summary: 'The receipt of a sealed or pre-confirmed transaction; while pre-confirmed with the partial block hash.',
  params: [required('transactionHash', hash)],
  result: orNull(RECEIPT_SCHEMA),
  cost: 2,
  example: { params: ['0x0000000000000000000000000000000000000000000000000000000000000000'], result: null },
  handle([transactionHash], { view, ready }) {
    const found = view.transaction(transactionHash)
    return found?.kind === 'included' ? ready.receipt(found.block, found.index) : null
  },
})
