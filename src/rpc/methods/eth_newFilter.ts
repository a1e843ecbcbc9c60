import { logFilter } from '../codecs/log-filter.ts'
import { EXAMPLE_CONTRACT, EXAMPLE_FILTER_ID } from '../examples.ts'
import { watchedLogs } from '../filters/filter-range.ts'
import { defineWritingMethod, required } from '../method.ts'
import { FILTER_ID_SCHEMA } from '../schemas.ts'

export const eth_newFilter = defineWritingMethod({
  name: 'eth_newFilter',
  summary:
    'Watches logs, for eth_getFilterChanges. Up to `latest` those of sealed blocks; up to `pending` pre-confirmed ones too.',
  params: [required('filter', logFilter)],
  result: FILTER_ID_SCHEMA,
  cost: 5,
  example: { params: [{ toBlock: 'pending', address: EXAMPLE_CONTRACT }], result: EXAMPLE_FILTER_ID },
  handle: ([filter], { filters, client, view }) => filters.watchLogs(watchedLogs(filter), client, view),
})
