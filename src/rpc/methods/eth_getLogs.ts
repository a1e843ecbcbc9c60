import { logFilter } from '../codecs/log-filter.ts'
import { EXAMPLE_CONTRACT, EXAMPLE_LOG } from '../examples.ts'
import { findLogs } from '../log-lookup.ts'
import { defineMethod, required } from '../method.ts'
import { arrayOf, LOG_SCHEMA } from '../schemas.ts'

export const eth_getLogs = defineMethod({
  name: 'eth_getLogs',
  summary: 'Logs that match a filter. A range may end at `pending`: sealed and pre-confirmed logs of one instant.',
  params: [required('filter', logFilter)],
  result: arrayOf(LOG_SCHEMA),
  cost: 20,
  example: { params: [{ fromBlock: 'pending', toBlock: 'pending', address: EXAMPLE_CONTRACT }], result: [EXAMPLE_LOG] },
  handle: ([filter], context) => findLogs(filter, context),
})
