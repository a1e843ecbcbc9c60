import { toAddress } from '../../primitives/hex.ts'
import { digestOf, Representation } from '../http/representation.ts'
import { CHAIN_RECORD_SCHEMA, chainEntry } from '../tokenized-stocks/chain-entry.ts'
import { REVALIDATE } from './rest-context.ts'
import { defineRoute } from './route.ts'

const EXAMPLE = chainEntry(31_337n, 'tickertape', {
  factory: toAddress('0xb20f000000000000000000000000000000000000'),
})

export const listChainContractAddresses = defineRoute({
  path: '/v1/tokenized-stocks/chains',
  operationId: 'listChainContractAddresses',
  tag: 'Tokenized Stocks',
  summary: 'Chains and their contracts',
  description: 'The chain that this service reads, and the contracts that tokenized stocks stand on there.',
  parameters: [],
  response: {
    description: 'The chains.',
    contentType: 'application/json',
    schema: {
      type: 'object',
      properties: { chains: { type: 'array', items: CHAIN_RECORD_SCHEMA } },
      required: ['chains'],
      additionalProperties: false,
    },
    example: { chains: [EXAMPLE] },
  },
  errors: { invalidArgument: 'The % escapes of the query are invalid.' },
  handle(_, { chains }) {
    const body = JSON.stringify({ chains })
    return new Representation({ type: 'application/json', body, tag: digestOf(body), cacheControl: REVALIDATE })
  },
})
