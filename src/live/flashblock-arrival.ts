import { bigintOf, hashIn, numberOf, objectIn } from './amount.ts'
import { SYSTEM_SENDER } from './names/known-addresses.ts'
import { tokenAmountIn } from './names/token-amount.ts'

/** Decoding of signed transactions: browsers and Node use different libraries for it. */
export interface TransactionCodec {
  /** Keccak-256 of bytes in hex, as hex. */
  readonly hash: (raw: `0x${string}`) => string
  /** Members of an RLP list as hex; nested lists may have any form. Throws on anything else. */
  readonly members: (rlp: `0x${string}`) => readonly unknown[]
}

/** A message of the flashblock feed, as far as the timeline needs it. */
export interface FlashblockArrival {
  readonly payloadId: string
  readonly index: number
  readonly blockNumber: number
  /** Hash of the block so far. */
  readonly blockHash: string
  /** Gas of the block so far. */
  readonly gasUsed: bigint
  /** Transactions that it added. */
  readonly transactionCount: number
  /** The first `MAX_SUMMARIES` of them. */
  readonly transactions: readonly TransactionSummary[]
  /** In the first flashblock of a block. */
  readonly base: { readonly parentHash: string; readonly timestamp: bigint; readonly gasLimit: bigint } | undefined
  /** Whether it is a whole block, which no flashblock continues. */
  readonly isSealed: boolean
  /** Unix time in milliseconds. */
  readonly arrivedAt: number
  /** The client looked for a new block by itself, so `arrivedAt` does not show when the node had it. */
  readonly isPolled?: boolean
}

/** Fields of a signed transaction; its sender would have to be recovered from the signature. */
export interface TransactionSummary {
  readonly hash: string
  /** `undefined` for a creation. */
  readonly to: string | undefined
  readonly value: bigint
  /** First four bytes of the input; empty for a plain transfer. */
  readonly selector: string
  /** Base units that a call of a token moves or allows. */
  readonly tokenAmount?: bigint
  /** Written by the protocol at the beginning of a block, as L1 attributes are. */
  readonly isSystem?: boolean
}

/** Hashing costs about 20 µs per transaction; a flashblock may have thousands. */
export const MAX_SUMMARIES = 60

/** Reads a result of `newFlashblocks` with `{"raw":true}`; `undefined` if it is something else. */
export function flashblockArrival(
  message: unknown,
  arrivedAt: number,
  codec: TransactionCodec,
): FlashblockArrival | undefined {
  const { payload_id, index, base, diff, metadata } = (message ?? {}) as Record<string, Record<string, unknown>>
  const blockNumber = numberOf(metadata?.block_number)
  const gasUsed = bigintOf(diff?.gas_used)
  const blockHash = hashIn(diff?.block_hash)
  const raw = diff?.transactions
  if (!isPayloadId(payload_id) || !isSlot(index) || !Array.isArray(raw)) return undefined
  if (blockNumber === undefined || gasUsed === undefined || blockHash === undefined) return undefined
  return {
    payloadId: payload_id,
    index,
    blockNumber,
    blockHash,
    gasUsed,
    transactionCount: raw.length,
    transactions: raw.slice(0, MAX_SUMMARIES).flatMap((each) => summaryOf(each, codec)),
    base: baseOf(base),
    isSealed: false,
    arrivedAt,
  }
}

/** Payload ids have 8 bytes; some nodes may use a hash. */
function isPayloadId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 66
}

/** A block has as many places as its largest index, so a node must not choose any number. */
const MAX_INDEX = 999

function isSlot(index: unknown): index is number {
  return Number.isInteger(index) && (index as number) >= 0 && (index as number) <= MAX_INDEX
}

/** A whole block as if one flashblock had announced it, for nodes without flashblocks. */
export function blockArrival(block: unknown, arrivedAt: number, isPolled = false): FlashblockArrival | undefined {
  const { hash, parentHash, number, gasUsed, timestamp, gasLimit, transactions } = objectIn(block)
  const blockHash = hashIn(hash)
  const blockNumber = numberOf(number)
  const gas = bigintOf(gasUsed)
  if (blockHash === undefined || blockNumber === undefined || gas === undefined) return undefined
  const all = Array.isArray(transactions) ? transactions : []
  return {
    payloadId: blockHash,
    index: 0,
    blockNumber,
    blockHash,
    gasUsed: gas,
    transactionCount: all.length,
    transactions: all.slice(0, MAX_SUMMARIES).flatMap(summaryOfObject),
    base: baseFrom(parentHash, timestamp, gasLimit),
    isSealed: true,
    arrivedAt,
    isPolled,
  }
}

function summaryOfObject(transaction: unknown): readonly TransactionSummary[] {
  const { hash: json, from, to, value, input } = objectIn(transaction)
  const hash = hashIn(json)
  if (hash === undefined) return []
  const isSystem = isSystemSender(from)
  return [{ hash, to: addressIn(to), value: quantityIn(value), ...callOf(input), ...(isSystem && { isSystem }) }]
}

function baseOf(base: Record<string, unknown> | undefined | null): FlashblockArrival['base'] {
  return base === undefined || base === null ? undefined : baseFrom(base.parent_hash, base.timestamp, base.gas_limit)
}

function baseFrom(parentHash: unknown, timestamp: unknown, gasLimit: unknown): FlashblockArrival['base'] {
  return {
    parentHash: hashIn(parentHash) ?? '',
    timestamp: bigintOf(timestamp) ?? 0n,
    gasLimit: bigintOf(gasLimit) ?? 0n,
  }
}

/** Position of `to` by EIP-2718 type; `value` and the input follow it. Deposits have `mint` before the value. */
const TO_POSITION: Readonly<Record<number, number>> = { 1: 4, 2: 5, 3: 5, 4: 5 }
const DEPOSIT = 0x7e

function summaryOf(raw: unknown, codec: TransactionCodec): readonly TransactionSummary[] {
  if (typeof raw !== 'string' || raw.length % 2 !== 0 || !/^0x[0-9a-f]+$/i.test(raw)) return []
  const bytes = raw as `0x${string}`
  try {
    return [{ hash: codec.hash(bytes), ...membersOf(bytes, codec) }]
  } catch {
    // Not the RLP of a known type: a later fork.
    return [{ hash: codec.hash(bytes), to: undefined, value: 0n, selector: '' }]
  }
}

function membersOf(raw: `0x${string}`, codec: TransactionCodec): Omit<TransactionSummary, 'hash'> {
  const first = Number.parseInt(raw.slice(2, 4), 16)
  const isTyped = first < 0x80
  const members = codec.members(isTyped ? `0x${raw.slice(4)}` : raw)
  if (first === DEPOSIT) {
    const isSystem = isSystemSender(members[1])
    const call = { to: addressIn(members[2]), value: quantityIn(members[4]), ...callOf(members[7]) }
    return isSystem ? { ...call, isSystem } : call
  }
  const position = isTyped ? (TO_POSITION[first] ?? 5) : 3
  return {
    to: addressIn(members[position]),
    value: quantityIn(members[position + 1]),
    ...callOf(members[position + 2]),
  }
}

function isSystemSender(from: unknown): boolean {
  return typeof from === 'string' && from.toLowerCase() === SYSTEM_SENDER
}

function callOf(input: unknown): Pick<TransactionSummary, 'selector' | 'tokenAmount'> {
  if (typeof input !== 'string' || input.length < 10) return { selector: '' }
  const tokenAmount = tokenAmountIn(input)
  return { selector: input.slice(0, 10), ...(tokenAmount !== undefined && { tokenAmount }) }
}

function addressIn(hex: unknown): string | undefined {
  return typeof hex === 'string' && hex.length === 42 ? hex : undefined
}

function quantityIn(hex: unknown): bigint {
  return bigintOf(hex) ?? 0n
}
