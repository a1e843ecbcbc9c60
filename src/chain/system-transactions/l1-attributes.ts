import { type Address, type Bytes, bytesToHash, type Hash, hexToBytes } from '../../primitives/hex.ts'
import { bigintToBytes, bytesToBigint } from '../../primitives/quantity.ts'
import type { Block } from '../block/block.ts'
import { L1_BLOCK_ADDRESS } from '../constants.ts'
import { includesUpgrade, type Upgrade } from '../forks/upgrades.ts'
import { DEPOSIT_TYPE, type DepositTransaction, type Transaction } from '../transaction/transaction.ts'
import { createTransaction } from '../transaction/transaction-codec.ts'
import { l1AttributesSource } from './deposit-source.ts'

/** Sender of the transactions that the protocol puts into a block. */
export const DEPOSITOR_ADDRESS = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001' as Address

/** Values of layer 1 and of its SystemConfig for a layer-2 block. */
export interface L1Attributes {
  readonly number: bigint
  /** Unix seconds. */
  readonly timestamp: bigint
  readonly hash: Hash
  /** Layer-2 blocks since the L1 origin changed. */
  readonly sequenceNumber: bigint
  /** Wei per gas. */
  readonly baseFee: bigint
  readonly blobBaseFee: bigint
  readonly batcherHash: Hash
  readonly baseFeeScalar: bigint
  readonly blobBaseFeeScalar: bigint
  /** Isthmus */
  readonly operatorFeeScalar: bigint
  readonly operatorFeeConstant: bigint
  /** Jovian */
  readonly daFootprintGasScalar: bigint
}

/** Upgrades that changed the layout since Ecotone. */
export type L1AttributesLayout = Extract<Upgrade, 'ecotone' | 'isthmus' | 'jovian'>

/** Members in the order of the calldata, after the selector, with their lengths in bytes. */
const MEMBERS = [
  ['baseFeeScalar', 4],
  ['blobBaseFeeScalar', 4],
  ['sequenceNumber', 8],
  ['timestamp', 8],
  ['number', 8],
  ['baseFee', 32],
  ['blobBaseFee', 32],
  ['hash', 32],
  ['batcherHash', 32],
  ['operatorFeeScalar', 4],
  ['operatorFeeConstant', 8],
  ['daFootprintGasScalar', 2],
] as const satisfies readonly (readonly [keyof L1Attributes, number])[]

/** Selectors of L1Block's setters, and the lengths of their packed calldata (OP-stack specs: L1 attributes). */
const LAYOUTS: Readonly<Record<L1AttributesLayout, { readonly selector: bigint; readonly length: number }>> = {
  ecotone: { selector: 0x440a5e20n, length: 164 },
  isthmus: { selector: 0x098999ben, length: 176 },
  jovian: { selector: 0x3db6be2bn, length: 178 },
}

export const L1_ATTRIBUTES_GAS_LIMIT = 1_000_000n

/** Members that the layouts before Isthmus and Jovian lack. */
const ABSENT = { operatorFeeScalar: 0n, operatorFeeConstant: 0n, daFootprintGasScalar: 0n }

/** The layout in a block of an upgrade from Ecotone on; undefined before. */
export function l1AttributesLayout(upgrade: Upgrade): L1AttributesLayout | undefined {
  return (['jovian', 'isthmus', 'ecotone'] as const).find((layout) => includesUpgrade(upgrade, layout))
}

/** The first transaction of a block. */
export function l1AttributesTransaction(attributes: L1Attributes, layout: L1AttributesLayout): DepositTransaction {
  return createTransaction({
    type: DEPOSIT_TYPE,
    sourceHash: l1AttributesSource(attributes.hash, attributes.sequenceNumber),
    from: DEPOSITOR_ADDRESS,
    to: L1_BLOCK_ADDRESS,
    mint: 0n,
    value: 0n,
    gasLimit: L1_ATTRIBUTES_GAS_LIMIT,
    isSystemTransaction: false,
    data: encodeL1Attributes(attributes, layout),
  })
}

/** Calldata of L1Block's setter: packed, not ABI encoded. */
export function encodeL1Attributes(attributes: L1Attributes, layout: L1AttributesLayout): Bytes {
  const { selector, length } = LAYOUTS[layout]
  const data = new Uint8Array(length)
  writeInteger(data, selector, 4)
  let end = 4
  for (const [member, size] of MEMBERS) {
    if (end === length) break
    end += size
    const value = attributes[member]
    writeInteger(data, typeof value === 'string' ? bytesToBigint(hexToBytes(value)) : value, end)
  }
  return data
}

/** The layout and values of calldata; undefined if it is that of another function, or of another length. */
export function decodeL1Attributes(
  data: Bytes,
): { readonly layout: L1AttributesLayout; readonly attributes: L1Attributes } | undefined {
  if (data.length < 4) return undefined
  const selector = bytesToBigint(data.subarray(0, 4))
  const layouts = Object.keys(LAYOUTS) as L1AttributesLayout[]
  const layout = layouts.find((name) => LAYOUTS[name].selector === selector && LAYOUTS[name].length === data.length)
  if (layout === undefined) return undefined
  const values: Partial<Record<keyof L1Attributes, bigint | Hash>> = {}
  let start = 4
  for (const [member, size] of MEMBERS) {
    const bytes = data.subarray(start, start + size)
    values[member] = member === 'hash' || member === 'batcherHash' ? bytesToHash(bytes) : bytesToBigint(bytes)
    start += size
  }
  return { layout, attributes: values as unknown as L1Attributes }
}

/** Whether a transaction is one that sets the values of layer 1. */
export function setsL1Attributes(transaction: Transaction | undefined): transaction is DepositTransaction {
  return transaction?.type === DEPOSIT_TYPE && isFromDepositor(transaction) && transaction.to === L1_BLOCK_ADDRESS
}

/** The values of layer 1 in the first transaction of a block; members of later layouts are 0. */
export function l1AttributesOf({ transactions }: Pick<Block, 'transactions'>): L1Attributes | undefined {
  const [first] = transactions
  const decoded = setsL1Attributes(first) ? decodeL1Attributes(first.data) : undefined
  return decoded && { ...ABSENT, ...decoded.attributes }
}

/** Number of transactions that the protocol itself put at the beginning of a block. */
export function countSystemTransactions(transactions: readonly Transaction[]): number {
  const index = transactions.findIndex((transaction) => !isFromDepositor(transaction))
  return index < 0 ? transactions.length : index
}

/** Whether a block has transactions of users. */
export function hasUserTransactions({ transactions }: Pick<Block, 'transactions'>): boolean {
  return transactions.length > countSystemTransactions(transactions)
}

function isFromDepositor(transaction: Transaction): boolean {
  return transaction.type === DEPOSIT_TYPE && transaction.from === DEPOSITOR_ADDRESS
}

/** Big endian, so that it ends before `end`. */
function writeInteger(target: Bytes, value: bigint, end: number): void {
  const bytes = bigintToBytes(value)
  target.set(bytes, end - bytes.length)
}
