import { type Address, toAddress } from '../../primitives/hex.ts'
import { changedToken } from '../http/list-parameters.ts'
import type { Parameter } from '../http/parameter.ts'
import { CORS_HEADERS } from '../http/representation.ts'
import type { BodyStream, RestRequest, RestResponse } from '../http/rest-service.ts'
import { ADDRESS_PATTERN } from '../http/schema.ts'
import { badQuery, StatusError } from '../http/status.ts'
import { readAt } from '../tokenized-stocks/chain-source.ts'
import { atBlock, type RestContext, tokenAt } from './rest-context.ts'
import { defineRoute } from './route.ts'

const ADDRESS = new RegExp(ADDRESS_PATTERN)
const ID_PATTERN = '^[0-9]{1,15}-[0-9a-f]{8}(-[0-9a-z.]{1,100})?$'
const ID = new RegExp(ID_PATTERN)
const LAST_EVENT_ID = 'last-event-id'

const lastEventId: Parameter<string | undefined> = {
  name: 'last_event_id',
  in: 'query',
  required: false,
  description:
    'The last id that was received, for clients that cannot set the header `Last-Event-ID`, which takes precedence.',
  schema: { type: 'string', pattern: ID_PATTERN },
  example: '4711-f3a1b2c4-105.3',
  read(text) {
    if (text === undefined || ID.test(text)) return text
    throw badQuery('last_event_id', 'must be the id of an event')
  },
}

const EXAMPLE = `retry: 1000
id: 4711-f3a1b2c4
event: ready
data: {"changes":"preconfirmed","block_number":104,"block_hash":"0x…"}

id: 4712-0b9d41e7-105.3
data: {"id":"4712-0b9d41e7-105.3","kind":"supply","removed":false,"contract_address":"0x5700000000000000000000000000000000000001","block_number":105,"flashblock":2,"timestamp":"2026-01-01T00:03:30Z","transaction_hash":"0x…","log_index":3,"total_supply":1000025,"total_supply_exact":"1000025","difference_exact":"25"}

`

export const streamStockEvents = defineRoute({
  path: '/v1/tokenized-stocks/events',
  operationId: 'streamStockEvents',
  tag: 'Tokenized Stocks',
  summary: 'Changes as they happen',
  description:
    'Supply, multiplier, pauses, prices and corporate actions of the listed tokens as server-sent events (`text/event-stream`), each in the flashblock in which it happens. The first event, `ready`, names the newest sealed block: read the list at it or at a later one, and apply the changes of later blocks. A new subscriber begins with the changes of the open block. After the last id that was received, sent back as `Last-Event-ID`, every change follows once, in order; changes of unwound blocks are sent again with `removed`, newest first. Ids are equal on all nodes of a chain, before and after a restart. A stand-alone service sends the changes of sealed blocks only, with `changes` being `sealed` in `ready`; its ids are positions in the blocks of its upstream node.',
  parameters: [changedToken, lastEventId],
  response: {
    description: 'The events; the response ends when the client disconnects, reads too slowly, or the service stops.',
    contentType: 'text/event-stream',
    schema: { type: 'string' },
    example: EXAMPLE,
  },
  errors: {
    invalidArgument:
      'A query parameter or the header `Last-Event-ID` is malformed, or several tokens have this symbol or ISIN.',
    notFound: 'No listed token has this symbol or ISIN.',
    outOfRange:
      'The events after the id are not kept, or it is of another chain: read the list, then subscribe without an id.',
    failedPrecondition: 'The factory does not list its stocks: its call reverted.',
  },
  handle: ([name, fromQuery], context) => ({
    respond: (request) => respondTo(request, { name, fromQuery }, context),
  }),
})

const NO_EVENTS = 'this service has no events: subscribe at a Tickertape node'

async function respondTo(
  request: RestRequest,
  { name, fromQuery }: { readonly name: string | undefined; readonly fromQuery: string | undefined },
  context: RestContext,
): Promise<RestResponse> {
  const { events } = context
  const given = request.header(LAST_EVENT_ID) || fromQuery
  if (given !== undefined && !ID.test(given)) {
    throw new StatusError('invalidArgument', `Last-Event-ID must be the id of an event`)
  }
  if (events === undefined) throw new StatusError('failedPrecondition', NO_EVENTS)
  request.checkStreams?.()
  const tokens = name === undefined ? [] : [await addressOf(name, context)]
  const stream = await events.open({ lastEventId: given, tokens: new Set(tokens) })
  if (request.method !== 'HEAD') return responseWith(stream)
  stream.close()
  return responseWith(undefined)
}

/** An address may be that of a token that does not exist yet; names are those of the newest sealed block. */
async function addressOf(name: string, context: RestContext): Promise<Address> {
  if (ADDRESS.test(name)) return toAddress(name)
  return atBlock(context, { kind: 'tag', tag: 'latest' }, (at) =>
    readAt(at, async (reads) => (await tokenAt(context, context.registry(), { at, reads }, name)).address),
  )
}

function responseWith(stream: BodyStream | undefined): RestResponse {
  return { status: 200, headers: HEADERS, body: '', ...(stream && { stream }) }
}

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  ...CORS_HEADERS,
  'x-content-type-options': 'nosniff',
  // nginx would collect the events.
  'x-accel-buffering': 'no',
}
