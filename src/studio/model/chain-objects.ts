import { bigintOf, numberOf } from '../../live/amount.ts'

/** A block of JSON-RPC with the members that views compute with; `raw` has all of them. */
export interface BlockObject {
  readonly raw: Readonly<Record<string, unknown>>
  readonly number: number
  readonly hash: string | undefined
  readonly parentHash: string
  readonly timestamp: bigint
  /** Unix time in milliseconds, of chains that have several blocks in a second. */
  readonly timestampMs: bigint | undefined
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  readonly baseFee: bigint | undefined
  readonly miner: string | undefined
  readonly size: number | undefined
  readonly transactions: readonly TransactionObject[]
}

/** A transaction of JSON-RPC. */
export interface TransactionObject {
  readonly raw: Readonly<Record<string, unknown>>
  readonly hash: string
  readonly from: string
  readonly to: string | undefined
  readonly value: bigint
  readonly input: string
  readonly nonce: bigint
  readonly gas: bigint
  readonly gasPrice: bigint | undefined
  readonly maxFee: bigint | undefined
  readonly maxPriorityFee: bigint | undefined
  readonly type: number
  readonly blockNumber: number | undefined
  readonly index: number | undefined
}

export interface ReceiptObject {
  readonly raw: Readonly<Record<string, unknown>>
  readonly transactionHash: string
  /** `undefined` before Byzantium. */
  readonly isSuccess: boolean | undefined
  readonly gasUsed: bigint
  readonly effectiveGasPrice: bigint | undefined
  readonly l1Fee: bigint | undefined
  /** In wei; `undefined` where the chain charges none. */
  readonly operatorFee: bigint | undefined
  readonly contractAddress: string | undefined
  readonly logs: readonly LogObject[]
}

export interface LogObject {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly index: number | undefined
  readonly blockNumber: number | undefined
  readonly transactionHash: string | undefined
}

type Members = Readonly<Record<string, unknown>>

/** Reads a block; `undefined` for null and anything that is no block. */
export function blockObject(json: unknown): BlockObject | undefined {
  const raw = membersOf(json)
  const number = numberOf(raw?.number)
  if (raw === undefined || number === undefined) return undefined
  return {
    raw,
    number,
    hash: textOf(raw.hash),
    parentHash: textOf(raw.parentHash) ?? '',
    timestamp: bigintOf(raw.timestamp) ?? 0n,
    timestampMs: bigintOf(raw.timestampMs),
    gasUsed: bigintOf(raw.gasUsed) ?? 0n,
    gasLimit: bigintOf(raw.gasLimit) ?? 0n,
    baseFee: bigintOf(raw.baseFeePerGas),
    miner: textOf(raw.miner),
    size: numberOf(raw.size),
    transactions: listOf(raw.transactions).flatMap((each) => transactionObject(each) ?? []),
  }
}

export function transactionObject(json: unknown): TransactionObject | undefined {
  const raw = membersOf(json)
  const hash = textOf(raw?.hash)
  if (raw === undefined || hash === undefined) return undefined
  return {
    raw,
    hash,
    from: textOf(raw.from) ?? '',
    to: textOf(raw.to),
    value: bigintOf(raw.value) ?? 0n,
    input: textOf(raw.input) ?? textOf(raw.data) ?? '0x',
    nonce: bigintOf(raw.nonce) ?? 0n,
    gas: bigintOf(raw.gas) ?? 0n,
    gasPrice: bigintOf(raw.gasPrice),
    maxFee: bigintOf(raw.maxFeePerGas),
    maxPriorityFee: bigintOf(raw.maxPriorityFeePerGas),
    type: numberOf(raw.type) ?? 0,
    blockNumber: numberOf(raw.blockNumber),
    index: numberOf(raw.transactionIndex),
  }
}

export function receiptObject(json: unknown): ReceiptObject | undefined {
  const raw = membersOf(json)
  const transactionHash = textOf(raw?.transactionHash)
  if (raw === undefined || transactionHash === undefined) return undefined
  const status = bigintOf(raw.status)
  return {
    raw,
    transactionHash,
    isSuccess: status === undefined ? undefined : status === 1n,
    gasUsed: bigintOf(raw.gasUsed) ?? 0n,
    effectiveGasPrice: bigintOf(raw.effectiveGasPrice),
    l1Fee: bigintOf(raw.l1Fee),
    operatorFee: operatorFeeOf(raw),
    contractAddress: textOf(raw.contractAddress),
    logs: listOf(raw.logs).flatMap((each) => logObject(each) ?? []),
  }
}

/** EIP-2718 type of deposits, which pay no fees. */
const DEPOSIT = 126

/**
 * Receipts have the parameters of the operator fee, not the fee (OP-stack specs: Isthmus and Jovian, "Operator Fee").
 * Jovian, which changed its unit, also added the scalar of the data footprint.
 */
function operatorFeeOf(raw: Members): bigint | undefined {
  const scalar = bigintOf(raw.operatorFeeScalar)
  const constant = bigintOf(raw.operatorFeeConstant)
  const gasUsed = bigintOf(raw.gasUsed)
  if (scalar === undefined || constant === undefined || gasUsed === undefined) return undefined
  if (numberOf(raw.type) === DEPOSIT) return undefined
  const isJovian = bigintOf(raw.daFootprintGasScalar) !== undefined
  return (isJovian ? gasUsed * scalar * 100n : (gasUsed * scalar) / 1_000_000n) + constant
}

export function logObject(json: unknown): LogObject | undefined {
  const raw = membersOf(json)
  const address = textOf(raw?.address)
  if (raw === undefined || address === undefined) return undefined
  const topics = listOf(raw.topics).filter((topic) => typeof topic === 'string')
  return {
    address,
    topics,
    data: textOf(raw.data) ?? '0x',
    index: numberOf(raw.logIndex),
    blockNumber: numberOf(raw.blockNumber),
    transactionHash: textOf(raw.transactionHash),
  }
}

/** Name of an EIP-2718 type. */
export function transactionTypeText(type: number): string {
  const names: Readonly<Record<number, string>> = {
    0: 'legacy',
    1: 'access list',
    2: 'EIP-1559',
    3: 'blob',
    4: 'set code',
    [DEPOSIT]: 'deposit',
  }
  return `${type} · ${names[type] ?? 'unknown'}`
}

function membersOf(json: unknown): Members | undefined {
  return json !== null && typeof json === 'object' && !Array.isArray(json) ? (json as Members) : undefined
}

function listOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : []
}

function textOf(json: unknown): string | undefined {
  return typeof json === 'string' ? json : undefined
}
