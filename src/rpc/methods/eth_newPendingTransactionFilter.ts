import { boolean } from '../codecs/boolean.ts'
import { EXAMPLE_FILTER_ID } from '../examples.ts'
import { defineWritingMethod, optionalWith } from '../method.ts'
import { FILTER_ID_SCHEMA } from '../schemas.ts'

export const eth_newPendingTransactionFilter = defineWritingMethod({
  name: 'eth_newPendingTransactionFilter',
  summary:
    'Watches the pool, for eth_getFilterChanges: the hash, or the whole object, of each transaction that enters it.',
  params: [optionalWith('fullTransactions', boolean, false)],
  result: FILTER_ID_SCHEMA,
  cost: 2,
  example: { params: [], result: EXAMPLE_FILTER_ID },
  handle: ([full], { filters, client }) => filters.watchTransactions(full, client),
})
