import type { Withdrawal } from '../chain/block/block.ts'
import type { Header } from '../chain/block/header.ts'
import { bytesToHex, type Hex, hexToBytes } from '../primitives/hex.ts'
import { keccak256 } from '../primitives/keccak.ts'
import { toQuantity } from '../primitives/quantity.ts'
import type { Layer } from '../state/layer.ts'

/** One message of the flashblock feed, with the member names of the wire format. */
export type FlashblockMessage = {
  /** 8 bytes; equal for all flashblocks of a block. */
  readonly payload_id: Hex
  readonly index: number
  /** Only in index 0. */
  readonly base?: MessageBase
  readonly diff: MessageDiff
  readonly metadata: { readonly block_number: number }
}

/** Fields of the flashblock that opens a block. Numbers are hex quantities. */
export type MessageBase = {
  readonly parent_beacon_block_root: Hex
  readonly parent_hash: Hex
  readonly fee_recipient: Hex
  readonly prev_randao: Hex
  readonly block_number: Hex
  readonly gas_limit: Hex
  /** Unix seconds. */
  readonly timestamp: Hex
  readonly extra_data: Hex
  readonly base_fee_per_gas: Hex
}

/** New transactions, and running values of the block so far. Numbers are hex quantities. */
export type MessageDiff = {
  readonly state_root: Hex
  readonly receipts_root: Hex
  readonly logs_bloom: Hex
  readonly gas_used: Hex
  readonly block_hash: Hex
  /** EIP-2718 bytes. */
  readonly transactions: readonly Hex[]
  /** Withdrawals of the whole block. */
  readonly withdrawals: readonly MessageWithdrawal[]
  readonly withdrawals_root: Hex | undefined
  readonly blob_gas_used: Hex | undefined
}

/** EIP-4895. Numbers are hex quantities. */
export type MessageWithdrawal = {
  readonly index: Hex
  readonly validatorIndex: Hex
  readonly address: Hex
  /** Gwei. */
  readonly amount: Hex
}

/**
 * The message of a flashblock: new transactions, and running values of the block so far.
 *
 * @example flashblockMessage(layer).diff.block_hash === layer.hash
 */
export function flashblockMessage(layer: Layer): FlashblockMessage {
  const { header } = layer
  return {
    payload_id: payloadId(header),
    index: layer.index,
    ...(layer.index === 0 && { base: encodeBase(header) }),
    diff: encodeDiff(layer),
    metadata: { block_number: header.number },
  }
}

function encodeBase(header: Header): MessageBase {
  return {
    parent_beacon_block_root: header.parentBeaconBlockRoot ?? `0x${'00'.repeat(32)}`,
    parent_hash: header.parentHash,
    fee_recipient: header.miner,
    prev_randao: header.mixHash,
    block_number: toQuantity(header.number),
    gas_limit: toQuantity(header.gasLimit),
    timestamp: toQuantity(header.timestamp),
    extra_data: bytesToHex(header.extraData),
    base_fee_per_gas: toQuantity(header.baseFeePerGas ?? 0n),
  }
}

function encodeDiff({ header, hash, transactions, withdrawals }: Layer): MessageDiff {
  return {
    state_root: header.stateRoot,
    receipts_root: header.receiptsRoot,
    logs_bloom: bytesToHex(header.logsBloom),
    gas_used: toQuantity(header.gasUsed),
    block_hash: hash,
    transactions: transactions.map(({ raw }) => bytesToHex(raw)),
    withdrawals: withdrawals.map(encodeMessageWithdrawal),
    withdrawals_root: header.withdrawalsRoot,
    blob_gas_used: header.blobGasUsed === undefined ? undefined : toQuantity(header.blobGasUsed),
  }
}

function encodeMessageWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): MessageWithdrawal {
  return {
    index: toQuantity(index),
    validatorIndex: toQuantity(validatorIndex),
    address,
    amount: toQuantity(amount),
  }
}

/** Blocks of one parent and time are one build job. */
function payloadId(header: Header): Hex {
  const timestamp = header.timestamp.toString(16).padStart(16, '0')
  return bytesToHex(keccak256(hexToBytes(`${header.parentHash}${timestamp}`)).subarray(0, 8))
}
