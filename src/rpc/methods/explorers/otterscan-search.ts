import { address } from '../../codecs/bytes.ts'
import { plainNumber } from '../../codecs/small-numbers.ts'
import type { ReadContext } from '../../context/reading.ts'
import { formatTimedReceipt } from '../../format/otterscan.ts'
import { formatIncludedTransaction } from '../../format/transaction.ts'
import type { JsonRecord } from '../../protocol/json.ts'
import { type AppearancePage, findAppearances } from '../../queries/appearances.ts'
import { defineMethod, requiredParam } from '../../registry/method.ts'
import { SEARCH_SCHEMA } from '../../schemas/explorer-schemas.ts'

const params = [
  requiredParam('address', address),
  requiredParam('end', plainNumber),
  requiredParam('pageSize', plainNumber),
] as const

export const ots_searchTransactionsBefore = defineMethod({
  name: 'ots_searchTransactionsBefore',
  summary:
    'The transactions before a block (0: all sealed) that an address appears in, also in inner calls, newest first.',
  params,
  result: SEARCH_SCHEMA,
  takesLong: true,
  cost: 2_000,
  async handle([account, block, size], context) {
    const { latest } = context.view.head.sealed
    const start = block === 0 ? latest : Math.min(block - 1, latest)
    const page = await findAppearances(context, { address: account, start, direction: 'older', size })
    return formatPage(context, page, { firstPage: block === 0 || block > latest, lastPage: page.isLast })
  },
})

export const ots_searchTransactionsAfter = defineMethod({
  name: 'ots_searchTransactionsAfter',
  summary:
    'The transactions after a block (0: all sealed) that an address appears in, also in inner calls, newest first.',
  params,
  result: SEARCH_SCHEMA,
  takesLong: true,
  cost: 2_000,
  async handle([account, block, size], context) {
    const page = await findAppearances(context, { address: account, start: block + 1, direction: 'newer', size })
    return formatPage(context, page, { firstPage: page.isLast, lastPage: block === 0 })
  },
})

/** Pages are numbered from the newest transaction: the last page has the oldest one. */
function formatPage(
  { config }: ReadContext,
  { transactions }: AppearancePage,
  ends: { readonly firstPage: boolean; readonly lastPage: boolean },
): JsonRecord {
  return {
    txs: transactions.map(({ block: { block, receipts }, index }) =>
      formatIncludedTransaction(block.transactions[index]!, block, index, receipts[index]?.deposit),
    ),
    receipts: transactions.map(({ block, index }) => formatTimedReceipt(block, index, config)),
    ...ends,
  }
}
