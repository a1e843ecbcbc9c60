import { formatPageToken, isin, MAX_PAGE_ENTRIES, pageSize, pageToken, symbol } from '../http/list-parameters.ts'
import { block, exactMembers } from '../http/parameter.ts'
import { digestOf } from '../http/representation.ts'
import { badQuery } from '../http/status.ts'
import { readAt } from '../tokenized-stocks/chain-source.ts'
import type { ListedToken } from '../tokenized-stocks/listing.ts'
import { MAX_DISCOVERED } from '../tokenized-stocks/token-reads.ts'
import {
  EXAMPLE_TOKEN_RECORD,
  isinOf,
  PROBLEM_SCHEMA,
  problemRecord,
  symbolOf,
  TOKEN_RECORD_SCHEMA,
  tokenRecord,
} from '../tokenized-stocks/token-record.ts'
import { atBlock, hashReference, listingAt, listRepresentation } from './rest-context.ts'
import { defineRoute } from './route.ts'

export const listTokenizedStocks = defineRoute({
  path: '/v1/tokenized-stocks',
  operationId: 'listTokenizedStocks',
  tag: 'Tokenized Stocks',
  summary: 'Tokenized stocks',
  description: `All listed tokens with supply, multiplier, pauses and price, all read at one block. Those of the registry come first, then the oldest ${MAX_DISCOVERED} that the chain’s factory made. A token of the asset standard has a record from the block on in which it can be minted, any other token from the block on in which it exists. A token whose supply, multiplier, pauses or names the contract refuses to return has no record; \`problems\` names the call. Filters and pages are those of a gRPC gateway (AIP-158); without them the list is whole.`,
  parameters: [block, exactMembers, symbol, isin, pageSize, pageToken],
  response: {
    description: 'The tokens.',
    contentType: 'application/json',
    schema: {
      type: 'object',
      properties: {
        tokens: { type: 'array', items: TOKEN_RECORD_SCHEMA },
        next_page_token: {
          type: 'string',
          description: 'The `page_token` of the next page; absent on the last one.',
        },
        problems: {
          type: 'array',
          items: PROBLEM_SCHEMA,
          description: 'What could not be read, and values that contradict each other; absent if there are none.',
        },
      },
      required: ['tokens'],
      additionalProperties: false,
    },
    example: { tokens: [EXAMPLE_TOKEN_RECORD] },
  },
  errors: {
    invalidArgument: 'A query parameter is malformed, or `page_token` is of another list.',
    failedPrecondition: 'The factory does not list its stocks: its call reverted.',
    notFound: 'No such block, or the block of `page_token` cannot be read any more: begin without it.',
  },
  isCachedByBlock: true,
  handle([reference, isExact, wantedSymbol, wantedIsin, size, after], context) {
    const registry = context.registry()
    const digest = digestOf(JSON.stringify([registry.digest, wantedSymbol, wantedIsin]))
    const offset = after?.offset ?? 0
    const end = offset + (size ?? (after === undefined ? Number.POSITIVE_INFINITY : MAX_PAGE_ENTRIES))
    const isWanted = (token: ListedToken) =>
      (wantedSymbol ?? symbolOf(token)) === symbolOf(token) && (wantedIsin ?? isinOf(token)) === isinOf(token)
    return atBlock(context, after === undefined ? reference : hashReference(after.block), (at) => {
      if (after !== undefined && after.digest !== digest) {
        throw badQuery('page_token', 'is of other filters or of an earlier registry: begin without it')
      }
      return context.lists.get(at.hash, `${digest}-${isExact}-${offset}-${end}`, () =>
        readAt(at, async (reads) => {
          const { tokens, problems } = await listingAt(context, registry, { at, reads })
          const wanted = tokens.filter(isWanted)
          const body = {
            tokens: wanted.slice(offset, end).map((token) => tokenRecord(token, at.timestamp, isExact)),
            ...(end < wanted.length && { next_page_token: formatPageToken({ offset: end, block: at.hash, digest }) }),
            ...(problems.length > 0 && { problems: problems.map(problemRecord) }),
          }
          return listRepresentation(body, registry, at)
        }),
      )
    })
  },
})
