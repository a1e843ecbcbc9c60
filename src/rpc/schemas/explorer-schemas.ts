import { address, data, hash } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { arrayOf, noun, orNull, RECEIPT_SCHEMA, TRANSACTION_SCHEMA } from './schemas.ts'

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

export const OPCODE_GAS_SCHEMA = noun('instructions of a transaction', {
  transactionHash: hash.schema,
  opcodeGas: arrayOf(
    noun('instruction', { opcode: { type: 'string' }, count: { type: 'integer' }, gasUsed: { type: 'integer' } }),
  ),
})

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

export const OPERATION_SCHEMA = noun('internal operation', {
  type: { type: 'integer' },
  from: address.schema,
  to: address.schema,
  value: quantity.schema,
})

export const OTTERSCAN_TRACE_SCHEMA = noun(
  'call of a transaction',
  {
    type: { type: 'string' },
    depth: { type: 'integer' },
    from: address.schema,
    to: address.schema,
    value: quantity.schema,
    input: data.schema,
    output: data.schema,
  },
  // A refused creation has no address.
  ['to'],
)

const OTTERSCAN_BLOCK_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  number: quantity.schema,
  hash: hash.schema,
  parentHash: hash.schema,
  size: quantity.schema,
  uncles: arrayOf(hash.schema),
  totalDifficulty: quantity.schema,
  transactionCount: { type: 'integer' },
}

export const BLOCK_DETAILS_SCHEMA = noun('block details', {
  block: noun('block without transactions', OTTERSCAN_BLOCK_MEMBERS),
  issuance: noun('issuance', {
    blockReward: quantity.schema,
    uncleReward: quantity.schema,
    issuance: quantity.schema,
  }),
  totalFees: quantity.schema,
})

export const BLOCK_PAGE_SCHEMA = noun('page of a block', {
  fullblock: noun('block with a page of transactions', {
    ...OTTERSCAN_BLOCK_MEMBERS,
    transactions: arrayOf(TRANSACTION_SCHEMA),
  }),
  receipts: arrayOf(RECEIPT_SCHEMA),
})

export const SEARCH_SCHEMA = noun('page of a search', {
  txs: arrayOf(TRANSACTION_SCHEMA),
  receipts: arrayOf(RECEIPT_SCHEMA),
  firstPage: { type: 'boolean' },
  lastPage: { type: 'boolean' },
})

export const CONTRACT_CREATOR_SCHEMA = noun('creator', { hash: hash.schema, creator: address.schema })
