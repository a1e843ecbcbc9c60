import { l1Fee } from '../../chain/fees/l1-fee.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { hasL1Attributes } from '../../chain/forks/chain-profile.ts'
import { type Layer2Rules, layer2RulesAt } from '../../chain/forks/layer2-rules.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import type { BedrockAttributes } from '../../chain/system-transactions/bedrock-attributes.ts'
import type { L1Attributes } from '../../chain/system-transactions/l1-attributes.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../protocol/json.ts'

/** Data of the members that OP-stack chains add to a receipt. */
export interface Layer2Receipt {
  readonly transaction: Pick<RecoveredTransaction, 'raw'>
  readonly receipt: Pick<Receipt, 'deposit'>
  /** Time of the block, in Unix seconds. */
  readonly timestamp: bigint
  /** Attributes of the block; absent where it has none. */
  readonly attributes: L1Attributes | BedrockAttributes | undefined
}

const BLOB_RECEIPT = '0x3'

/** OP-stack clients require the fee members: they are zero where transactions pay for their gas only. */
const NO_FEES: JsonRecord = {
  l1Fee: '0x0',
  l1GasPrice: '0x0',
  l1GasUsed: '0x0',
  l1BaseFeeScalar: '0x0',
  l1BlobBaseFee: '0x0',
  l1BlobBaseFeeScalar: '0x0',
}

/** The members of a receipt object that OP-stack chains add (op-geth, core/types/receipt.go); none on layer 1. */
export function formatLayer2Members(layer2Receipt: Layer2Receipt, config: ChainConfig): JsonRecord {
  const { layer2 } = config
  if (layer2 === undefined) return {}
  const { deposit } = layer2Receipt.receipt
  return {
    ...(hasL1Attributes(config)
      ? feeMembers(layer2Receipt, layer2RulesAt(config, layer2Receipt.timestamp)!)
      : { ...NO_FEES, daFootprintGasScalar: toQuantity(layer2.daFootprintGasScalar) }),
    depositNonce: deposit && toQuantity(deposit.nonce),
    depositReceiptVersion: deposit && toQuantity(deposit.version),
  }
}

/** A receipt object without members that are zero where transactions pay for their gas only. */
export function withoutLayer2Members(receipt: JsonRecord): JsonRecord {
  const { blobGasUsed, daFootprintGasScalar: _, ...record } = receipt
  const members = Object.entries(record).filter(([name]) => !Object.hasOwn(NO_FEES, name))
  return { ...Object.fromEntries(members), blobGasUsed: receipt.type === BLOB_RECEIPT ? blobGasUsed : undefined }
}

/** The fees that follow from the attributes of the block: receipts are stored without them. */
function feeMembers({ transaction, attributes }: Layer2Receipt, rules: Layer2Rules): JsonRecord {
  if (attributes === undefined) return {}
  return 'overhead' in attributes
    ? bedrockFeeMembers(transaction, attributes, rules)
    : ecotoneFeeMembers(transaction, attributes, rules)
}

const NO_BLOB_PRICES = { l1BlobBaseFee: 0n, baseFeeScalar: 0n, blobBaseFeeScalar: 0n }

function bedrockFeeMembers(
  { raw }: Layer2Receipt['transaction'],
  { baseFee, overhead, scalar }: BedrockAttributes,
  rules: Layer2Rules,
): JsonRecord {
  const { fee, gasUsed } = l1Fee(raw, { ...NO_BLOB_PRICES, l1BaseFee: baseFee, overhead, scalar }, rules)
  return {
    l1Fee: toQuantity(fee),
    l1GasPrice: toQuantity(baseFee),
    l1GasUsed: toQuantity(gasUsed),
    l1FeeScalar: decimal(scalar),
  }
}

/** Millionths as a decimal number, as go's `big.Float` writes one of this size. */
function decimal(millionths: bigint): string {
  const digits = millionths.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '')
}

function ecotoneFeeMembers(
  transaction: Layer2Receipt['transaction'],
  attributes: L1Attributes,
  rules: Layer2Rules,
): JsonRecord {
  const { baseFee, blobBaseFee, baseFeeScalar, blobBaseFeeScalar, daFootprintGasScalar } = attributes
  const { operatorFeeScalar, operatorFeeConstant } = attributes
  const parameters = { l1BaseFee: baseFee, l1BlobBaseFee: blobBaseFee, baseFeeScalar, blobBaseFeeScalar }
  const { fee, gasUsed } = l1Fee(transaction.raw, { ...parameters, overhead: 0n, scalar: 0n }, rules)
  // Both or none, as in op-geth.
  const hasOperatorFee = rules.hasOperatorFee && (operatorFeeScalar !== 0n || operatorFeeConstant !== 0n)
  return {
    l1Fee: toQuantity(fee),
    l1GasPrice: toQuantity(baseFee),
    l1GasUsed: toQuantity(gasUsed),
    l1BaseFeeScalar: toQuantity(baseFeeScalar),
    l1BlobBaseFee: toQuantity(blobBaseFee),
    l1BlobBaseFeeScalar: toQuantity(blobBaseFeeScalar),
    operatorFeeScalar: hasOperatorFee ? toQuantity(operatorFeeScalar) : undefined,
    operatorFeeConstant: hasOperatorFee ? toQuantity(operatorFeeConstant) : undefined,
    daFootprintGasScalar: rules.hasDataFootprint ? toQuantity(daFootprintGasScalar) : undefined,
  }
}
