import { address, data, hash } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import type { JsonSchema } from '../json.ts'
import { arrayOf, noun, orNull } from './schemas.ts'

/** Result schemas of the namespaces that explorers use. */

const FRAME_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  type: { type: 'string', enum: ['call', 'create', 'suicide'] },
  action: {
    title: 'the call, the creation, or the destroyed contract',
    type: 'object',
    properties: {
      from: address.schema,
      to: address.schema,
      callType: { type: 'string' },
      creationMethod: { type: 'string' },
      gas: quantity.schema,
      value: quantity.schema,
      input: data.schema,
      init: data.schema,
      address: address.schema,
      refundAddress: address.schema,
      balance: quantity.schema,
    },
  },
  result: orNull({
    type: 'object',
    properties: { gasUsed: quantity.schema, output: data.schema, address: address.schema, code: data.schema },
  }),
  error: { type: 'string' },
  subtraces: { type: 'integer' },
  traceAddress: arrayOf({ type: 'integer' }),
}

const FRAME_SCHEMA = noun('frame', FRAME_MEMBERS, ['error'])

export const LOCALIZED_FRAME_SCHEMA = noun(
  'frame with its position',
  {
    ...FRAME_MEMBERS,
    blockHash: hash.schema,
    blockNumber: { type: 'integer' },
    transactionHash: hash.schema,
    transactionPosition: { type: 'integer' },
  },
  ['error'],
)

const TRACE_RESULT_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  output: data.schema,
  trace: arrayOf(FRAME_SCHEMA),
  stateDiff: orNull({ title: 'changes by address', type: 'object' }),
  vmTrace: orNull({ title: 'code and instructions', type: 'object' }),
}

export const TRACE_RESULTS_SCHEMA = noun('trace results', TRACE_RESULT_MEMBERS)

export const REPLAYED_SCHEMA = noun('trace results of a transaction', {
  ...TRACE_RESULT_MEMBERS,
  transactionHash: hash.schema,
})
