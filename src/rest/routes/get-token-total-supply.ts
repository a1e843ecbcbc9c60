import { formatDecimal, nearestDouble } from '../../primitives/decimal.ts'
import { block, contractAddress, exact } from '../http/parameter.ts'
import { Representation } from '../http/representation.ts'
import { DOUBLE_SCHEMA } from '../http/schema.ts'
import { StatusError } from '../http/status.ts'
import { readAt } from '../tokenized-stocks/chain-source.ts'
import { refusedRead } from '../tokenized-stocks/function-reads.ts'
import { readSupply } from '../tokenized-stocks/token-reads.ts'
import { atBlock, blockHeaders, cacheControlOf } from './rest-context.ts'
import { defineRoute } from './route.ts'

export const getTokenTotalSupply = defineRoute({
  path: '/v1/tokenized-stocks/total-supply/{contract_address}',
  operationId: 'getTokenTotalSupply',
  tag: 'Tokenized Stocks',
  summary: 'Total supply of a token',
  description:
    'Total supply of any ERC-20 in token units: base units divided by 10^decimals. Multiply it by the token’s `multiplier` to get the number of shares.',
  parameters: [contractAddress, block, exact],
  response: {
    description:
      'The supply as a bare JSON number, the double nearest to the exact value. With `exact=true` it is a string with all digits (schema `exactDecimal`).',
    contentType: 'application/json',
    schema: DOUBLE_SCHEMA,
    example: 2500000.125,
  },
  errors: {
    invalidArgument: 'The address or a query parameter is malformed.',
    failedPrecondition: 'totalSupply or decimals of the contract reverted, or needed more gas than a call has.',
    notFound: 'No ERC-20 token at this address in this block, or no such block.',
  },
  isCachedByBlock: true,
  handle([token, reference, isExact], context) {
    return atBlock(context, reference, async (at) => {
      const supply = await context.supplies.get(at.hash, token, () => readAt(at, (reads) => readSupply(reads, token)))
      if (supply.kind === 'refused') throw refusedRead(supply)
      if (supply.kind === 'noToken') {
        throw new StatusError('notFound', `no token at ${token}: no code, or it lacks totalSupply or decimals`)
      }
      const write = isExact ? formatDecimal : nearestDouble
      return new Representation({
        type: 'application/json',
        body: JSON.stringify(write(supply.totalSupply, supply.decimals)),
        tag: at.hash,
        cacheControl: cacheControlOf(reference, at),
        headers: blockHeaders(at),
      })
    })
  },
})
