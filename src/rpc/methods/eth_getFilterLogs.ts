import { text } from '../codecs/text.ts'
import { EXAMPLE_FILTER_ID, EXAMPLE_LOG } from '../examples.ts'
import { filterNotFound } from '../filters/filter-errors.ts'
import { highestBlock } from '../filters/filter-range.ts'
import { findLogs, logsInRange } from '../log-lookup.ts'
import { defineWritingMethod, required } from '../method.ts'
import { arrayOf, LOG_SCHEMA } from '../schemas.ts'

export const eth_getFilterLogs = defineWritingMethod({
  name: 'eth_getFilterLogs',
  summary: 'All logs that a filter of eth_newFilter matches, whether they were told before or not.',
  params: [required('filterId', text)],
  result: arrayOf(LOG_SCHEMA),
  cost: 20,
  example: { params: [EXAMPLE_FILTER_ID], result: [EXAMPLE_LOG] },
  async handle([id], context) {
    const { state } = context.filters.get(id)
    if (state.kind !== 'logs') throw filterNotFound()
    const { query, range } = state.watched
    if (range.kind === 'block') {
      return findLogs({ ...query, blockHash: range.hash, fromBlock: undefined, toBlock: undefined }, context)
    }
    const from = context.view.number(range.from)!
    const to = highestBlock(range, context.view)
    // A filter may wait for blocks that are still to come.
    return from > to ? [] : logsInRange(query, { from, to }, context)
  },
})
