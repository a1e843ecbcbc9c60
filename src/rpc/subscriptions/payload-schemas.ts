import { address, data, hash } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { arrayOf, LOG_SCHEMA, noun, orNull, TRANSACTION_MEMBERS } from '../schemas/schemas.ts'

/** Schemas of subscription messages that are not results of methods, for the reference. */

/** A message of the flashblock feed. */
export const FLASHBLOCK_SCHEMA: JsonSchema = noun(
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
export const FLASHBLOCK_TRANSACTION_SCHEMA: JsonSchema = noun('transaction with receipt', {
  ...TRANSACTION_MEMBERS,
  gasUsed: quantity.schema,
  status: quantity.schema,
  cumulativeGasUsed: quantity.schema,
  contractAddress: orNull(address.schema),
  logsBloom: data.schema,
  logs: arrayOf(LOG_SCHEMA),
})
