import type { BlockReference } from '../../node/view/block-reference.ts'
import { formatDecimal, nearestDouble } from '../../primitives/decimal.ts'
import type { Address } from '../../primitives/hex.ts'
import { block, contractAddress, exact } from '../http/parameter.ts'
import { Representation } from '../http/representation.ts'
import { DOUBLE_SCHEMA, EXACT_DECIMAL_SCHEMA } from '../http/schema.ts'
import { StatusError } from '../http/status.ts'
import { readAt } from '../tokenized-stocks/chain-source.ts'
import { refusedRead } from '../tokenized-stocks/function-reads.ts'
import { readSupply } from '../tokenized-stocks/token-reads.ts'
import { atBlock, blockHeaders, cacheControlOf, type RestContext } from './rest-context.ts'
import { defineRoute } from './route.ts'

const COMMON = {
  tag: 'Tokenized Stocks',
  errors: {
    invalidArgument: 'The address or a query parameter is malformed.',
    failedPrecondition: 'totalSupply or decimals of the contract reverted, or needed more gas than a call has.',
    notFound: 'No ERC-20 token at this address in this block, or no such block.',
  },
  isCachedByBlock: true,
} as const

export const getTokenTotalSupply = defineRoute({
  ...COMMON,
  path: '/v1/tokenized-stocks/total-supply/{contract_address}',
  operationId: 'getTokenTotalSupply',
  summary: 'Total supply of a token',
  description:
    'Total supply of any ERC-20 in token units: base units divided by 10^decimals. Multiply it by the token’s `multiplier` to get the number of shares.',
  parameters: [
    contractAddress,
    block,
    exact('`true`: the number has all digits of the exact decimal, instead of those of the nearest double.'),
  ],
  response: {
    description:
      'The supply as a bare JSON number, the double nearest to the exact value. With `exact=true` the number has all its digits, for parsers that keep them; JSON parsers that read doubles round it.',
    contentType: 'application/json',
    schema: DOUBLE_SCHEMA,
    example: 2500000.125,
  },
  handle: ([token, reference, isExact], context) =>
    respondWithSupply(context, token, reference, isExact ? formatDecimal : doubleText),
})

export const getExactTokenTotalSupply = defineRoute({
  ...COMMON,
  path: '/v1/tokenized-stocks/total-supply/{contract_address}/exact',
  operationId: 'getExactTokenTotalSupply',
  summary: 'Exact total supply of a token',
  description:
    'Total supply of any ERC-20 in token units, as text with all digits: for clients whose JSON numbers are doubles.',
  parameters: [contractAddress, block],
  response: {
    description: 'The supply as a bare JSON string.',
    contentType: 'application/json',
    schema: EXACT_DECIMAL_SCHEMA,
    example: '2500000.125',
  },
  handle: ([token, reference], context) =>
    respondWithSupply(context, token, reference, (amount, decimals) => JSON.stringify(formatDecimal(amount, decimals))),
})

function doubleText(amount: bigint, decimals: number): string {
  return JSON.stringify(nearestDouble(amount, decimals))
}

/** @param write the body for an amount of base units */
function respondWithSupply(
  context: RestContext,
  token: Address,
  reference: BlockReference,
  write: (amount: bigint, decimals: number) => string,
): Promise<Representation> {
  return atBlock(context, reference, async (at) => {
    const supply = await context.supplies.get(at.hash, token, () => readAt(at, (reads) => readSupply(reads, token)))
    if (supply.kind === 'refused') throw refusedRead(supply)
    if (supply.kind === 'noToken') {
      throw new StatusError('notFound', `no token at ${token}: no code, or it lacks totalSupply or decimals`)
    }
    return new Representation({
      type: 'application/json',
      body: write(supply.totalSupply, supply.decimals),
      tag: at.hash,
      cacheControl: cacheControlOf(reference, at),
      headers: blockHeaders(at),
    })
  })
}
