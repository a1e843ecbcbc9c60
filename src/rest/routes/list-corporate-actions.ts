import { token } from '../http/list-parameters.ts'
import { block } from '../http/parameter.ts'
import { boundedPageSize, checkDigest, from, logCursor, requestDigest, to } from '../http/range-parameters.ts'
import { ADDRESS_SCHEMA } from '../http/schema.ts'
import { StatusError } from '../http/status.ts'
import { ACTION_SCHEMA, actionEntry, EXAMPLE_ACTION } from '../stock-history/action-record.ts'
import { blockRangeOf } from '../stock-history/block-times.ts'
import { readActions } from '../stock-history/corporate-actions.ts'
import { readAt } from '../tokenized-stocks/chain-source.ts'
import { atBlock, hashReference, listRepresentation, nextPageToken, tokenAt } from './rest-context.ts'
import { defineRoute } from './route.ts'

export const listCorporateActions = defineRoute({
  path: '/v1/tokenized-stocks/{token}/corporate-actions',
  operationId: 'listCorporateActions',
  tag: 'Tokenized Stocks',
  summary: 'Corporate actions of a token',
  description:
    'Splits and other changes of the multiplier with their status, announcements and pauses, in the order of their ' +
    'events, each with the time at which it takes effect. Read from the log index.',
  parameters: [token, block, from, to, boundedPageSize, logCursor],
  response: {
    description: 'The corporate actions.',
    contentType: 'application/json',
    schema: {
      type: 'object',
      properties: {
        corporate_actions: { type: 'array', items: ACTION_SCHEMA },
        contract_address: { ...ADDRESS_SCHEMA, description: 'the token, in lower case' },
        next_page_token: {
          type: 'string',
          description: 'The `page_token` of the next page; absent on the last one.',
        },
      },
      required: ['contract_address', 'corporate_actions'],
      additionalProperties: false,
    },
    example: { contract_address: '0x5700000000000000000000000000000000000003', corporate_actions: [EXAMPLE_ACTION] },
  },
  errors: {
    invalidArgument:
      'The range is reversed, `page_token` is of another request, the actions at the open block need a second page, ' +
      'several tokens have this symbol or ISIN, or a parameter is malformed.',
    failedPrecondition:
      'The contract refuses its supply, multiplier, pauses or names; or the factory does not list its stocks.',
    notFound:
      'No such token in this block, no such block, or logs of the range are not kept: the message names the first ' +
      'block that has them.',
    deadlineExceeded:
      'The search of the logs took longer than `--call-timeout-ms`, or the upstream node of a stand-alone service did ' +
      'not respond in time.',
  },
  handle([name, reference, start, end, pageSize, cursor], context) {
    const registry = context.registry()
    const digest = requestDigest(['corporate-actions', registry.digest, name, start, end])
    return atBlock(context, cursor === undefined ? reference : hashReference(cursor.block), (at) =>
      readAt(at, async (reads) => {
        checkDigest(cursor, digest)
        const { address } = await tokenAt(context, registry, { at, reads }, name)
        const oldest = reads.ancestors?.oldestBlock ?? 0
        const bounds = { from: start, to: end, oldest, newest: at, tooOld: (name: string) => tooOld(oldest, name) }
        const named = await blockRangeOf(bounds, reads.ancestors)
        const range = start === undefined ? { ...named, first: 0 } : named
        const options = { token: address, range, start: cursor?.place, pageSize, newest: at }
        const { actions, next } = await readActions(reads, options)
        const body = {
          contract_address: address,
          corporate_actions: actions.map(actionEntry),
          ...(next !== undefined && {
            next_page_token: nextPageToken(`${next.blockNumber}.${next.logIndex}`, at, digest),
          }),
        }
        return listRepresentation(body, registry, at)
      }),
    )
  },
})

/** A fork can search the logs of earlier blocks too, by number: their times are known to the other node only. */
function tooOld(oldest: number, name: string): StatusError {
  const message = `\`${name}\` is before block ${oldest}, the first one that can be found by its time here`
  return new StatusError('notFound', `${message}: name a later time, or a block by its number`)
}
