import { block, exact } from '../http/parameter.ts'
import { digestOf, Representation } from '../http/representation.ts'
import { readAt } from '../tokenized-stocks/chain-source.ts'
import { readListing } from '../tokenized-stocks/listing.ts'
import { MAX_DISCOVERED } from '../tokenized-stocks/token-reads.ts'
import {
  EXAMPLE_TOKEN_RECORD,
  PROBLEM_SCHEMA,
  problemRecord,
  TOKEN_RECORD_SCHEMA,
} from '../tokenized-stocks/token-record.ts'
import { atBlock, blockHeaders, REVALIDATE } from './rest-context.ts'
import { defineRoute } from './route.ts'

export const listTokenizedStocks = defineRoute({
  path: '/v1/tokenized-stocks',
  operationId: 'listTokenizedStocks',
  tag: 'Tokenized Stocks',
  summary: 'Tokenized stocks',
  description: `All listed tokens with supply, multiplier, pauses and price, all read at one block. Those of the registry come first, then the oldest ${MAX_DISCOVERED} that the chain’s factory made. A token has a record from the block on in which it exists. A token whose supply, multiplier, pauses or names the contract refuses to return has no record; \`problems\` names the call.`,
  parameters: [
    block,
    exact('`true`: records have additional members `…_exact`, strings with all digits of the amounts.'),
  ],
  response: {
    description: 'The tokens.',
    contentType: 'application/json',
    schema: {
      type: 'object',
      properties: {
        tokens: { type: 'array', items: TOKEN_RECORD_SCHEMA },
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
    invalidArgument: 'A query parameter is malformed.',
    failedPrecondition: 'The factory does not list its stocks: its call reverted.',
    notFound: 'No such block.',
  },
  isCachedByBlock: true,
  handle([reference, isExact], context) {
    const { source, factory } = context
    const registry = context.registry()
    return atBlock(context, reference, (at) =>
      context.lists.get(at.hash, `${registry.digest}-${isExact}`, async () => {
        const headers = blockHeaders(at)
        const { tokens, problems } = await readAt(at, (reads) =>
          readListing(reads, { chainId: source.chainId, registry, factory, isExact }),
        )
        const body = JSON.stringify({ tokens, ...(problems.length > 0 && { problems: problems.map(problemRecord) }) })
        return new Representation({
          type: 'application/json',
          body,
          // Block and registry do not determine the list alone: a restart may change the factory or the version of the
          // service.
          tag: `${at.hash}-${registry.digest}-${digestOf(body)}`,
          // The registry may change while the block stays the same.
          cacheControl: REVALIDATE,
          headers,
        })
      }),
    )
  },
})
