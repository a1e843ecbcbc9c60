import { boolean } from '../codecs/boolean.ts'
import { hash } from '../codecs/bytes.ts'
import { logFilter } from '../codecs/log-filter.ts'
import { text } from '../codecs/text.ts'
import { absentFilter, filterNotFound } from '../filters/filter-errors.ts'
import { highestBlock, isPending, watchedLogs } from '../filters/filter-range.ts'
import { filterChanges } from '../queries/filter-changes.ts'
import { findLogs, logsInRange } from '../queries/log-lookup.ts'
import { defaultedParam, defineMethod, defineWritingMethod, requiredParam } from '../registry/method.ts'
import { arrayOf, FILTER_ID_SCHEMA, LOG_SCHEMA, orNull, TRANSACTION_SCHEMA } from '../schemas/schemas.ts'

export const eth_getLogs = defineMethod({
  name: 'eth_getLogs',
  summary: 'Logs that match a filter. A range may end at `pending`: sealed and pre-confirmed logs of one view.',
  params: [requiredParam('filter', logFilter)],
  result: arrayOf(LOG_SCHEMA),
  cost: 20,
  handle: ([filter], context) => findLogs(filter, context),
})

export const eth_newFilter = defineWritingMethod({
  name: 'eth_newFilter',
  effect: 'client',
  summary:
    'Watches logs, for eth_getFilterChanges. Up to `latest` those of sealed blocks; up to `pending` ' +
    'pre-confirmed ones too.',
  params: [requiredParam('filter', logFilter)],
  result: FILTER_ID_SCHEMA,
  cost: 5,
  handle: ([filter], { filters, client, view, options, conventions }) =>
    filters.watchLogs(watchedLogs(filter, options.dialect, conventions.logs), client, view),
})

export const eth_newBlockFilter = defineWritingMethod({
  name: 'eth_newBlockFilter',
  effect: 'client',
  summary: 'Watches blocks, for eth_getFilterChanges: the hash of each when it is sealed.',
  params: [],
  result: FILTER_ID_SCHEMA,
  cost: 2,
  handle: (_, { filters, client, view, conventions }) =>
    filters.watchBlocks(client, view, { includesLatest: conventions.logs.blockFiltersIncludeLatest }),
})

export const eth_newPendingTransactionFilter = defineWritingMethod({
  name: 'eth_newPendingTransactionFilter',
  effect: 'client',
  summary:
    'Watches the pool, for eth_getFilterChanges: the hash, or the whole object, of each transaction that enters it.',
  params: [defaultedParam('fullTransactions', boolean, false)],
  result: FILTER_ID_SCHEMA,
  cost: 2,
  handle: ([full], { filters, client }) => filters.watchTransactions(full, client),
})

export const eth_getFilterChanges = defineWritingMethod({
  name: 'eth_getFilterChanges',
  effect: 'client',
  summary:
    'Changes since the last poll; the next returns what exceeds a response. With --compat hardhat, null if unknown.',
  params: [requiredParam('filterId', text)],
  result: orNull(arrayOf({ oneOf: [hash.schema, LOG_SCHEMA, TRANSACTION_SCHEMA] })),
  cost: 20,
  handle([id], context) {
    const { filters, conventions } = context
    const filter = filters.get(id)
    return filter === undefined ? absentFilter(conventions.logs) : filterChanges(filter, { id, filters, context })
  },
})

export const eth_getFilterLogs = defineWritingMethod({
  name: 'eth_getFilterLogs',
  effect: 'client',
  summary: 'All logs of a filter, also those returned before. With --compat hardhat, null for an unknown filter.',
  params: [requiredParam('filterId', text)],
  result: orNull(arrayOf(LOG_SCHEMA)),
  cost: 20,
  async handle([id], context) {
    const filter = context.filters.get(id)
    if (filter === undefined) return absentFilter(context.conventions.logs)
    const { state } = filter
    if (state.kind !== 'logs') throw filterNotFound()
    const { query, range } = state.watched
    if (range.kind === 'block') {
      return findLogs({ ...query, blockHash: range.hash, fromBlock: undefined, toBlock: undefined }, context)
    }
    const reading = isPending(range.to) ? await context.forecast() : context
    const from = reading.view.number(range.from)!
    const to = highestBlock(range, reading.view)
    // A filter may select future blocks.
    return from > to ? [] : logsInRange(query, { from, to }, reading)
  },
})

export const eth_uninstallFilter = defineWritingMethod({
  name: 'eth_uninstallFilter',
  effect: 'client',
  summary: 'Removes a filter. Returns whether it existed.',
  params: [requiredParam('filterId', text)],
  result: boolean.schema,
  cost: 1,
  handle: ([id], { filters }) => filters.close(id),
})
