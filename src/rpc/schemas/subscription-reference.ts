import { address, data, hash } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import type { JsonSchema } from '../protocol/json.ts'
import {
  arrayOf,
  BLOCK_SCHEMA,
  HEADER_SCHEMA,
  LOG_SCHEMA,
  noun,
  orNull,
  RECEIPT_SCHEMA,
  TRANSACTION_MEMBERS,
  TRANSACTION_SCHEMA,
} from './schemas.ts'

/** A message of the flashblock feed. */
const FLASHBLOCK_SCHEMA: JsonSchema = noun(
  'flashblock',
  {
    payload_id: data.schema,
    index: { type: 'integer' },
    base: noun('flashblock base, of index 0 only', {
      parent_beacon_block_root: hash.schema,
      parent_hash: hash.schema,
      fee_recipient: address.schema,
      prev_randao: hash.schema,
      block_number: quantity.schema,
      gas_limit: quantity.schema,
      timestamp: quantity.schema,
      extra_data: data.schema,
      base_fee_per_gas: quantity.schema,
    }),
    diff: noun('flashblock diff', {
      state_root: hash.schema,
      receipts_root: hash.schema,
      logs_bloom: data.schema,
      gas_used: quantity.schema,
      block_hash: hash.schema,
      transactions: arrayOf(data.schema),
      withdrawals: { type: 'array', items: { type: 'object' } },
    }),
    metadata: { type: 'object', properties: { block_number: { type: 'integer' } }, required: ['block_number'] },
  },
  ['base'],
)

/** A transaction and its receipt in one flat object. */
const FLASHBLOCK_TRANSACTION_SCHEMA: JsonSchema = noun('transaction with receipt', {
  ...TRANSACTION_MEMBERS,
  gasUsed: quantity.schema,
  status: quantity.schema,
  cumulativeGasUsed: quantity.schema,
  contractAddress: orNull(address.schema),
  logsBloom: data.schema,
  logs: arrayOf(LOG_SCHEMA),
})

export interface SubscriptionReference {
  readonly summary: string
  /** Description of the second parameter. */
  readonly options: string
  /** Schema of `result` in its messages. */
  readonly payload: JsonSchema
}

/** The kinds of `eth_subscribe` in `docs/rpc.md`. */
export const SUBSCRIPTION_REFERENCE: Readonly<Record<string, SubscriptionReference>> = {
  newHeads: {
    summary: 'Each sealed block.',
    options: 'none',
    payload: HEADER_SCHEMA,
  },
  logs: {
    summary: 'Logs of sealed blocks; with `removed` those of unwound blocks.',
    options: 'log criteria',
    payload: LOG_SCHEMA,
  },
  transactionReceipts: {
    summary: 'The receipts of each sealed block that has some, as one array.',
    options: '`{"transactionHashes":[…]}`: those of these transactions',
    payload: arrayOf(RECEIPT_SCHEMA),
  },
  newPendingTransactions: {
    summary: 'Each transaction that enters the pool.',
    options: '`true`: whole transactions, not hashes',
    payload: { oneOf: [hash.schema, TRANSACTION_SCHEMA] },
  },
  newFlashblocks: {
    summary: 'The open block so far, with whole transactions, at each flashblock.',
    options: '`{"raw":true}`: what the flashblock added, as messages of the feed are',
    payload: { anyOf: [BLOCK_SCHEMA, FLASHBLOCK_SCHEMA] },
  },
  newFlashblockTransactions: {
    summary: 'Each transaction that a flashblock added.',
    options: '`true`: with receipts, not hashes; log criteria: those with a log that matches, with receipts',
    payload: { oneOf: [hash.schema, FLASHBLOCK_TRANSACTION_SCHEMA] },
  },
  pendingLogs: {
    summary: 'Logs that a flashblock added; with `removed` those of unwound blocks.',
    options: 'log criteria',
    payload: LOG_SCHEMA,
  },
  syncing: {
    summary: 'Sends `false` once: the node is always synchronised, as `eth_syncing` says.',
    options: 'none',
    payload: { type: 'boolean' },
  },
}
