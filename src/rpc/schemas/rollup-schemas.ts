import { address, hash } from '../codecs/bytes.ts'
import type { JsonSchema } from '../protocol/json.ts'

// Result schemas of the `optimism` namespace, whose numbers are JSON numbers.

const NUMBER: JsonSchema = { type: 'integer', minimum: 0 }

const L1_BLOCK_SCHEMA = allOf({ hash: hash.schema, number: NUMBER, parentHash: hash.schema, timestamp: NUMBER })

const L2_BLOCK_SCHEMA = allOf({
  hash: hash.schema,
  number: NUMBER,
  parentHash: hash.schema,
  timestamp: NUMBER,
  l1origin: allOf({ hash: hash.schema, number: NUMBER }),
  sequenceNumber: NUMBER,
})

const BLOCK_ID_SCHEMA = allOf({ hash: hash.schema, number: NUMBER })

export const SAFE_HEAD_SCHEMA: JsonSchema = allOf({ l1Block: BLOCK_ID_SCHEMA, safeHead: BLOCK_ID_SCHEMA })

/** From Karst on without `cross_unsafe_l2`. */
export const SYNC_STATUS_SCHEMA: JsonSchema = allOf({
  current_l1: L1_BLOCK_SCHEMA,
  current_l1_finalized: L1_BLOCK_SCHEMA,
  head_l1: L1_BLOCK_SCHEMA,
  safe_l1: L1_BLOCK_SCHEMA,
  finalized_l1: L1_BLOCK_SCHEMA,
  unsafe_l2: L2_BLOCK_SCHEMA,
  safe_l2: L2_BLOCK_SCHEMA,
  finalized_l2: L2_BLOCK_SCHEMA,
  local_safe_l2: L2_BLOCK_SCHEMA,
})

export const OUTPUT_SCHEMA: JsonSchema = allOf({
  version: hash.schema,
  outputRoot: hash.schema,
  blockRef: L2_BLOCK_SCHEMA,
  withdrawalStorageRoot: hash.schema,
  stateRoot: hash.schema,
  syncStatus: SYNC_STATUS_SCHEMA,
})

/** Activation times, such as `jovian_time`, follow from the chain. */
export const ROLLUP_CONFIG_SCHEMA: JsonSchema = allOf({
  genesis: allOf({
    l1: allOf({ hash: hash.schema, number: NUMBER }),
    l2: allOf({ hash: hash.schema, number: NUMBER }),
    l2_time: NUMBER,
    system_config: { type: 'object' },
  }),
  block_time: NUMBER,
  max_sequencer_drift: NUMBER,
  seq_window_size: NUMBER,
  channel_timeout: NUMBER,
  granite_channel_timeout: NUMBER,
  l1_chain_id: NUMBER,
  l2_chain_id: NUMBER,
  batch_inbox_address: address.schema,
  deposit_contract_address: address.schema,
  l1_system_config_address: address.schema,
  protocol_versions_address: address.schema,
  chain_op_config: { type: 'object' },
})

/** An object with all of these members. */
function allOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}
