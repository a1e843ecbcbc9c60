import { hash } from '../codecs/bytes.ts'
import { encodePooledTransaction } from '../encode/transaction.ts'
import { EXAMPLE_TRANSACTION, EXAMPLE_TRANSACTION_HASH } from '../examples.ts'
import { defineMethod, required } from '../method.ts'
import { orNull, TRANSACTION_SCHEMA } from '../schemas.ts'

export const eth_getTransactionByHash = defineMethod({
  name: 'eth_getTransactionByHash',
  summary: 'A transaction: sealed, pre-confirmed, or waiting in the pool with its place null.',
  params: [required('transactionHash', hash)],
  result: orNull(TRANSACTION_SCHEMA),
  cost: 2,
  example: { params: [EXAMPLE_TRANSACTION_HASH], result: EXAMPLE_TRANSACTION },
  handle([transactionHash], { view, ready }) {
    const found = view.transaction(transactionHash)
    if (found === undefined) return null
    return found.kind === 'pooled'
      ? encodePooledTransaction(found.transaction)
      : ready.transaction(found.block, found.index)
  },
})
