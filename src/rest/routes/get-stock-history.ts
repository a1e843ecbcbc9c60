import { token } from '../http/list-parameters.ts'
import { block, type Parameter } from '../http/parameter.ts'
import { boundedPageSize, checkDigest, every, from, pointCursor, requestDigest, to } from '../http/range-parameters.ts'
import { ADDRESS_SCHEMA, DOUBLE_SCHEMA, EXACT_DECIMAL_SCHEMA } from '../http/schema.ts'
import { badQuery, StatusError } from '../http/status.ts'
import { planHistory } from '../stock-history/plan-history.ts'
import { HISTORY_FIELDS, type HistoryField, readValueHistory } from '../stock-history/value-history.ts'
import { readAt } from '../tokenized-stocks/chain-source.ts'
import { atBlock, hashReference, listRepresentation, nextPageToken, tokenAt } from './rest-context.ts'
import { defineRoute } from './route.ts'

const field: Parameter<HistoryField> = {
  name: 'field',
  in: 'query',
  required: false,
  description: 'The value: `supply` in token units, `multiplier` in shares per token, or `price` of a token.',
  schema: { type: 'string', enum: [...HISTORY_FIELDS], default: 'supply' },
  example: 'multiplier',
  read(text = 'supply') {
    const found = HISTORY_FIELDS.find((name) => name === text)
    if (found === undefined) throw badQuery('field', `must be one of ${HISTORY_FIELDS.join(', ')}`)
    return found
  },
}

const NO_HISTORY = 'this service reads its chain from another node and has no history: ask a Tickertape node'

export const getStockHistory = defineRoute({
  path: '/v1/tokenized-stocks/{token}/history',
  operationId: 'getStockHistory',
  tag: 'Tokenized Stocks',
  summary: 'History of a token',
  description:
    'Supply, multiplier or price of a token after earlier blocks, every so many blocks or every so much time, from ' +
    'the state history of the node: the cost of a point does not depend on the length of the chain. The history ' +
    'begins with the first block whose state the node keeps (`--history`).',
  parameters: [token, field, block, from, to, every, boundedPageSize, pointCursor],
  response: {
    description: 'The points, oldest first.',
    contentType: 'application/json',
    schema: {
      type: 'object',
      properties: {
        points: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              sampled_at: {
                type: 'string',
                format: 'date-time',
                nullable: true,
                description:
                  'only with `every` as a time: the time of the sample, whose block is the newest one at or before it',
              },
              block_number: { type: 'integer', format: 'int64', minimum: 0 },
              timestamp: {
                type: 'string',
                format: 'date-time',
                nullable: true,
                description: 'time of the block; null beyond the year 9999',
              },
              value: {
                ...DOUBLE_SCHEMA,
                nullable: true,
                description: 'null where the block has no such token, the token has no price, or a call was refused',
              },
              value_exact: { ...EXACT_DECIMAL_SCHEMA, nullable: true, description: 'all digits of value' },
              nav_price_updated_at: {
                type: 'string',
                format: 'date-time',
                nullable: true,
                description: 'only for `price`: time of the price',
              },
              problem: { type: 'string', description: 'the call that the contract refused in this block, and why' },
            },
            required: ['block_number', 'timestamp', 'value', 'value_exact'],
            additionalProperties: false,
          },
        },
        contract_address: { ...ADDRESS_SCHEMA, description: 'the token, in lower case' },
        field: { type: 'string', enum: [...HISTORY_FIELDS] },
        next_page_token: {
          type: 'string',
          description: 'The `page_token` of the next page; absent on the last one.',
        },
      },
      required: ['contract_address', 'field', 'points'],
      additionalProperties: false,
    },
    example: {
      contract_address: '0x5700000000000000000000000000000000000003',
      field: 'multiplier',
      points: [
        {
          sampled_at: '2026-01-01T00:00:00Z',
          block_number: 100,
          timestamp: '2025-12-31T23:59:59Z',
          value: 2,
          value_exact: '2',
        },
        {
          sampled_at: '2026-01-01T01:00:00Z',
          block_number: 1900,
          timestamp: '2026-01-01T00:59:59Z',
          value: 4,
          value_exact: '4',
        },
      ],
    },
  },
  errors: {
    invalidArgument:
      'The range is reversed, `page_token` is of another request, the points at the open block need a second page, ' +
      'several tokens have this symbol or ISIN, or a parameter is malformed.',
    failedPrecondition:
      'The contract refuses a call at the block of the response; or the service is a stand-alone one.',
    notFound:
      'No such token in this block, no such block, or the range or the page begins before the first block whose ' +
      'state is kept, which the message names.',
  },
  handle([name, wanted, reference, start, end, step, pageSize, cursor], context) {
    const registry = context.registry()
    const digest = requestDigest(['history', registry.digest, name, wanted, start, end, step])
    return atBlock(context, cursor === undefined ? reference : hashReference(cursor.block), (at) =>
      readAt(at, async (reads) => {
        checkDigest(cursor, digest)
        const { ancestors } = reads
        if (ancestors === undefined) throw new StatusError('failedPrecondition', NO_HISTORY)
        const found = await tokenAt(context, registry, { at, reads }, name)
        const request = { from: start, to: end, step, newest: at, start: cursor?.place }
        const options = { token: found, field: wanted, plan: await planHistory(request, ancestors), pageSize }
        const { points, next } = await readValueHistory(options, ancestors)
        const body = {
          contract_address: found.address,
          field: wanted,
          points,
          ...(next !== undefined && { next_page_token: nextPageToken(next, at, digest) }),
        }
        return listRepresentation(body, registry, at)
      }),
    )
  },
})
