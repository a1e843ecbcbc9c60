import type { JsonRecord } from '../protocol/json.ts'
import { EXAMPLE_BLOCK_HASH } from './examples.ts'

const HASH = '0x9a4a7b5c52a8a2d7d1a3d7d3b0a0e5f0c1d2e3f405162738495a6b7c8d9eafb0'
const NO_HASH = `0x${'00'.repeat(32)}`
const NO_ADDRESS = `0x${'00'.repeat(20)}`

const L1_BLOCK: JsonRecord = { hash: HASH, number: 147268800, parentHash: HASH, timestamp: 1767225600 }
const GENESIS_L1_BLOCK: JsonRecord = { hash: HASH, number: 144640800, parentHash: HASH, timestamp: 1735689600 }

const L2_BLOCK: JsonRecord = {
  hash: EXAMPLE_BLOCK_HASH,
  number: 1,
  parentHash: HASH,
  timestamp: 1767225602,
  l1origin: { hash: HASH, number: 147268800 },
  sequenceNumber: 0,
}
const GENESIS_L2_BLOCK: JsonRecord = {
  hash: HASH,
  number: 0,
  parentHash: NO_HASH,
  timestamp: 1735689600,
  l1origin: { hash: HASH, number: 144640800 },
  sequenceNumber: 0,
}

export const EXAMPLE_SYNC_STATUS: JsonRecord = {
  current_l1: L1_BLOCK,
  current_l1_finalized: GENESIS_L1_BLOCK,
  head_l1: L1_BLOCK,
  safe_l1: L1_BLOCK,
  finalized_l1: GENESIS_L1_BLOCK,
  unsafe_l2: L2_BLOCK,
  safe_l2: L2_BLOCK,
  finalized_l2: GENESIS_L2_BLOCK,
  cross_unsafe_l2: L2_BLOCK,
  local_safe_l2: L2_BLOCK,
}

export const EXAMPLE_OUTPUT: JsonRecord = {
  version: NO_HASH,
  outputRoot: HASH,
  blockRef: L2_BLOCK,
  withdrawalStorageRoot: HASH,
  stateRoot: HASH,
  syncStatus: EXAMPLE_SYNC_STATUS,
}

export const EXAMPLE_ROLLUP_CONFIG: JsonRecord = {
  genesis: {
    l1: { hash: HASH, number: 144640800 },
    l2: { hash: HASH, number: 0 },
    l2_time: 1735689600,
    system_config: {
      batcherAddr: NO_ADDRESS,
      overhead: NO_HASH,
      scalar: `0x01${'00'.repeat(23)}00101c12000008dd`,
      gasLimit: 400000000,
      baseFeeScalar: 2269,
      blobBaseFeeScalar: 1055762,
      eip1559Denominator: 100,
      eip1559Elasticity: 5,
      operatorFeeScalar: 0,
      operatorFeeConstant: 0,
      minBaseFee: 5000000,
      daFootprintGasScalar: 148,
    },
  },
  block_time: 2,
  max_sequencer_drift: 1800,
  seq_window_size: 3600,
  channel_timeout: 300,
  granite_channel_timeout: 50,
  l1_chain_id: 900,
  l2_chain_id: 31337,
  regolith_time: 0,
  canyon_time: 0,
  ecotone_time: 0,
  fjord_time: 0,
  granite_time: 0,
  holocene_time: 0,
  isthmus_time: 0,
  jovian_time: 0,
  batch_inbox_address: NO_ADDRESS,
  deposit_contract_address: NO_ADDRESS,
  l1_system_config_address: NO_ADDRESS,
  protocol_versions_address: NO_ADDRESS,
  chain_op_config: { eip1559Elasticity: 5, eip1559Denominator: 100, eip1559DenominatorCanyon: 100 },
}
