import { address, data, hash } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import type { JsonSchema } from '../protocol/json.ts'

/** Result schemas of the methods, for the OpenRPC document. */

export function orNull(schema: JsonSchema): JsonSchema {
  return { oneOf: [schema, { type: 'null' }] }
}

export function arrayOf(schema: JsonSchema): JsonSchema {
  return { type: 'array', items: schema }
}

/** Balance, nonce and code. */
export const ACCOUNT_INFO_SCHEMA: JsonSchema = {
  type: 'object',
  properties: { balance: quantity.schema, nonce: quantity.schema, code: data.schema },
  required: ['balance', 'nonce', 'code'],
}

export const FILTER_ID_SCHEMA: JsonSchema = { type: 'string', title: 'filter id' }

export const LOG_SCHEMA: JsonSchema = noun('log', {
  address: address.schema,
  topics: arrayOf(hash.schema),
  data: data.schema,
  blockNumber: quantity.schema,
  blockTimestamp: quantity.schema,
  transactionHash: hash.schema,
  transactionIndex: quantity.schema,
  blockHash: hash.schema,
  logIndex: quantity.schema,
  removed: { type: 'boolean' },
})

/** Members of all transaction types; others depend on the type. */
export const TRANSACTION_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  hash: hash.schema,
  type: quantity.schema,
  blockHash: orNull(hash.schema),
  blockNumber: orNull(quantity.schema),
  transactionIndex: orNull(quantity.schema),
  from: address.schema,
  to: orNull(address.schema),
  nonce: quantity.schema,
  gas: quantity.schema,
  gasPrice: quantity.schema,
  value: quantity.schema,
  input: data.schema,
  v: quantity.schema,
  r: quantity.schema,
  s: quantity.schema,
}

export const TRANSACTION_SCHEMA: JsonSchema = noun('transaction', TRANSACTION_MEMBERS)

/** By decimal nonce. */
export const POOLED_BY_NONCE_SCHEMA: JsonSchema = { type: 'object', additionalProperties: TRANSACTION_SCHEMA }

/** By sender, with its checksum. */
export const POOL_CONTENT_SCHEMA: JsonSchema = splitPool(POOLED_BY_NONCE_SCHEMA)

export const POOL_SUMMARY_SCHEMA: JsonSchema = splitPool({
  type: 'object',
  additionalProperties: { type: 'string' },
})

export const RECEIPT_SCHEMA: JsonSchema = noun('receipt', {
  transactionHash: hash.schema,
  transactionIndex: quantity.schema,
  blockHash: hash.schema,
  blockNumber: quantity.schema,
  type: quantity.schema,
  from: address.schema,
  to: orNull(address.schema),
  contractAddress: orNull(address.schema),
  cumulativeGasUsed: quantity.schema,
  gasUsed: quantity.schema,
  effectiveGasPrice: quantity.schema,
  logs: arrayOf(LOG_SCHEMA),
  logsBloom: data.schema,
})

const HEADER_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  number: quantity.schema,
  hash: hash.schema,
  parentHash: hash.schema,
  nonce: data.schema,
  sha3Uncles: hash.schema,
  logsBloom: data.schema,
  transactionsRoot: hash.schema,
  stateRoot: hash.schema,
  receiptsRoot: hash.schema,
  miner: address.schema,
  difficulty: quantity.schema,
  mixHash: hash.schema,
  extraData: data.schema,
  gasLimit: quantity.schema,
  gasUsed: quantity.schema,
  timestamp: quantity.schema,
}

export const HEADER_SCHEMA: JsonSchema = noun('header', HEADER_MEMBERS)

const BLOCK_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  ...HEADER_MEMBERS,
  size: quantity.schema,
  transactions: { type: 'array', items: { oneOf: [hash.schema, TRANSACTION_SCHEMA] } },
  uncles: arrayOf(hash.schema),
}

export const BLOCK_SCHEMA: JsonSchema = noun('block', BLOCK_MEMBERS)

export const SIMULATED_BLOCK_SCHEMA: JsonSchema = noun('simulated block', {
  ...BLOCK_MEMBERS,
  calls: arrayOf({
    type: 'object',
    properties: {
      status: quantity.schema,
      gasUsed: quantity.schema,
      returnData: data.schema,
      logs: arrayOf(LOG_SCHEMA),
      error: { title: 'the revert reason; in dialect ethereum an object {code, message, data}' },
    },
    required: ['status', 'gasUsed', 'returnData', 'logs'],
  }),
})

/** Trace of the structLogger; named tracers have their own format (go-ethereum). */
export const TRACE_SCHEMA: JsonSchema = {
  title: 'trace',
  // The formats of tracers overlap.
  anyOf: [
    object({
      gas: { type: 'integer' },
      failed: { type: 'boolean' },
      returnValue: data.schema,
      structLogs: arrayOf(
        object({
          pc: { type: 'integer' },
          op: { type: 'string' },
          gas: { type: 'integer' },
          gasCost: { type: 'integer' },
          depth: { type: 'integer' },
        }),
      ),
    }),
    { title: 'output of the named tracer', type: 'object' },
  ],
}

export const BLOCK_TRACE_SCHEMA: JsonSchema = arrayOf(object({ txHash: hash.schema, result: TRACE_SCHEMA }))

/**
 * An object that documents show once, under its name.
 *
 * @param optional members that may be missing
 */
export function noun(
  title: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { title, type: 'object', properties, required }
}

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}

function splitPool(bySender: JsonSchema): JsonSchema {
  const half = { type: 'object', additionalProperties: bySender }
  return object({ pending: half, queued: half })
}
