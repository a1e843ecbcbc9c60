import { hash } from '../codecs/bytes.ts'
import { text } from '../codecs/text.ts'
import { EXAMPLE_FILTER_ID, EXAMPLE_LOG } from '../examples.ts'
import { filterChanges } from '../filters/filter-changes.ts'
import { defineWritingMethod, required } from '../method.ts'
import { arrayOf, LOG_SCHEMA, TRANSACTION_SCHEMA } from '../schemas.ts'

export const eth_getFilterChanges = defineWritingMethod({
  name: 'eth_getFilterChanges',
  summary:
    'What a filter watches and has changed since it was asked last; what does not fit comes with the next answer.',
  params: [required('filterId', text)],
  result: arrayOf({ oneOf: [hash.schema, LOG_SCHEMA, TRANSACTION_SCHEMA] }),
  cost: 20,
  example: { params: [EXAMPLE_FILTER_ID], result: [EXAMPLE_LOG] },
  handle: ([id], context) => filterChanges(context.filters.get(id), { id, filters: context.filters, context }),
})
