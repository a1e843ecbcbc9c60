import { formatDecimal, nearestDouble } from '../../primitives/decimal.ts'
import { ZERO_ADDRESS } from '../../primitives/hex.ts'
import { token } from '../http/list-parameters.ts'
import { block } from '../http/parameter.ts'
import { accountCursor, boundedPageSize, checkDigest, requestDigest } from '../http/range-parameters.ts'
import { ADDRESS_SCHEMA, DOUBLE_SCHEMA, EXACT_DECIMAL_SCHEMA } from '../http/schema.ts'
import { readHolderPage } from '../stock-history/holders.ts'
import { readAt } from '../tokenized-stocks/chain-source.ts'
import { atBlock, hashReference, listRepresentation, nextPageToken, tokenAt } from './rest-context.ts'
import { defineRoute } from './route.ts'

/** Decimals of a share of the supply. */
const SHARE_DECIMALS = 18

export const listHolders = defineRoute({
  path: '/v1/tokenized-stocks/{token}/holders',
  operationId: 'listHolders',
  tag: 'Tokenized Stocks',
  summary: 'Holders of a token',
  description:
    'Accounts with units of a token and their shares of the supply, in the order of their addresses. The index of recipients of `Transfer` events names them, the state at the block has their balances. Balances that a contract or a development method changes without an event are not found.',
  parameters: [token, block, boundedPageSize, accountCursor],
  response: {
    description: 'The holders.',
    contentType: 'application/json',
    schema: {
      type: 'object',
      properties: {
        holders: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              address: { ...ADDRESS_SCHEMA, description: 'in lower case' },
              balance: { ...DOUBLE_SCHEMA, description: 'token units' },
              balance_exact: EXACT_DECIMAL_SCHEMA,
              share_of_supply: { ...DOUBLE_SCHEMA, description: 'balance over total supply; 0 without a supply' },
            },
            required: ['address', 'balance', 'balance_exact', 'share_of_supply'],
            additionalProperties: false,
          },
        },
        contract_address: { ...ADDRESS_SCHEMA, description: 'the token, in lower case' },
        total_supply: { ...DOUBLE_SCHEMA, description: 'token units' },
        total_supply_exact: EXACT_DECIMAL_SCHEMA,
        next_page_token: {
          type: 'string',
          description: 'The `page_token` of the next page; absent on the last one.',
        },
      },
      required: ['contract_address', 'total_supply', 'total_supply_exact', 'holders'],
      additionalProperties: false,
    },
    example: {
      contract_address: '0x5700000000000000000000000000000000000003',
      total_supply: 400_000,
      total_supply_exact: '400000',
      holders: [
        {
          address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          balance: 100_000,
          balance_exact: '100000',
          share_of_supply: 0.25,
        },
      ],
    },
  },
  errors: {
    invalidArgument:
      '`page_token` is of another request, several tokens have this symbol or ISIN, or a parameter is malformed.',
    failedPrecondition:
      'The contract refuses a call; or the service lacks earlier transfers of the token: a stand-alone service, a replica that began with a snapshot of an older leader, or a fork if the token is older than the fork.',
    notFound:
      'No such token in this block, no such block, or its state is not kept: the message names the first block.',
  },
  handle([name, reference, pageSize, cursor], context) {
    const registry = context.registry()
    const digest = requestDigest(['holders', registry.digest, name])
    return atBlock(context, cursor === undefined ? reference : hashReference(cursor.block), (at) =>
      readAt(at, async (reads) => {
        checkDigest(cursor, digest)
        const { address, reading } = await tokenAt(context, registry, { at, reads }, name)
        const { totalSupply, decimals } = reading
        const options = { token: address, start: cursor?.place ?? ZERO_ADDRESS, pageSize, number: at.number }
        const { holders, next } = await readHolderPage(reads, options)
        const body = {
          contract_address: address,
          total_supply: nearestDouble(totalSupply, decimals),
          total_supply_exact: formatDecimal(totalSupply, decimals),
          holders: holders.map(({ address: holder, balance }) => ({
            address: holder,
            balance: nearestDouble(balance, decimals),
            balance_exact: formatDecimal(balance, decimals),
            share_of_supply: shareOf(balance, totalSupply),
          })),
          ...(next !== undefined && { next_page_token: nextPageToken(next, at, digest) }),
        }
        return listRepresentation(body, registry, at)
      }),
    )
  },
})

function shareOf(balance: bigint, totalSupply: bigint): number {
  if (totalSupply === 0n) return 0
  return nearestDouble((balance * 10n ** BigInt(SHARE_DECIMALS)) / totalSupply, SHARE_DECIMALS)
}
