import { token } from '../http/list-parameters.ts'
import { block, exactMembers } from '../http/parameter.ts'
import { readAt } from '../tokenized-stocks/chain-source.ts'
import { EXAMPLE_STOCK_RECORD, STOCK_RECORD_SCHEMA, stockRecordOf } from '../tokenized-stocks/stock-record.ts'
import { readDetails } from '../tokenized-stocks/token-details.ts'
import { atBlock, listRepresentation, tokenAt } from './rest-context.ts'
import { defineRoute } from './route.ts'

export const getTokenizedStock = defineRoute({
  path: '/v1/tokenized-stocks/{token}',
  operationId: 'getTokenizedStock',
  tag: 'Tokenized Stocks',
  summary: 'One token',
  description:
    'One token by address, symbol or ISIN: its record in the list with supply cap, scheduled multiplier, currency and the age of its price. An address names any ERC-20, symbols and ISINs name listed tokens. The paths `chains` and `events` are no symbols.',
  parameters: [token, block, exactMembers],
  response: {
    description: 'The token.',
    contentType: 'application/json',
    schema: STOCK_RECORD_SCHEMA,
    example: EXAMPLE_STOCK_RECORD,
  },
  errors: {
    invalidArgument:
      'Several tokens have this symbol or ISIN, and the message names their addresses; or a parameter is malformed.',
    failedPrecondition:
      'The contract refuses its supply, multiplier, pauses or names; or the factory does not list its stocks.',
    notFound: 'No such token in this block, or no such block.',
  },
  isCachedByBlock: true,
  handle([name, reference, isExact], context) {
    const registry = context.registry()
    return atBlock(context, reference, (at) =>
      readAt(at, async (reads) => {
        const found = await tokenAt(context, registry, { at, reads }, name)
        const details = await readDetails(reads, found, at.timestamp)
        return listRepresentation(stockRecordOf(found, details, at.timestamp, isExact), registry, at)
      }),
    )
  },
})
