import { type Address, type Bytes, EMPTY_BYTES, hexWithin } from '../../primitives/hex.ts'
import type { TransactionFields } from './transaction-payload.ts'

type DynamicFeeTransaction = Extract<TransactionFields, { type: 2 }>

const TYPE = 2
const NOTHING: DynamicFeeTransaction['accessList'] = Object.freeze([])
/** Integers of so many bytes a double holds in any case. */
const EXACT_BYTES = 6

/** What is being read, where its list ends, and the content of the string that was read last: reading waits for nobody. */
let bytes: Bytes = EMPTY_BYTES
let listEnd = 0
let start = 0
let end = 0

/**
 * What nearly all transactions are, read where its members stand: of type 2, without an access list, no member longer than
 * what two bytes of length tell. An object for each member, as `decodeRlp` makes them, takes longer than all the rest.
 *
 * @returns `undefined` for any other, and for what is no transaction: `readTransaction` knows them all, and what is wrong
 */
export function readDynamicFeeTransaction(raw: Bytes): DynamicFeeTransaction | undefined {
  if (raw[0] !== TYPE || !openList(raw, 1)) return undefined
  const chainId = integer(8)
  const nonce = integer(8)
  const maxPriorityFeePerGas = integer(32)
  const maxFeePerGas = integer(32)
  const gasLimit = integer(8)
  if (!string()) return undefined
  const length = end - start
  if (length !== 0 && length !== 20) return undefined
  const to = length === 0 ? null : (hexWithin(raw, start, end) as Address)
  const value = integer(32)
  if (!string()) return undefined
  const data = raw.subarray(start, end)
  if (raw[end] !== 0xc0 || end === listEnd) return undefined
  end += 1
  const yParity = integer(1)
  const r = integer(32)
  const s = integer(32)
  if (end !== listEnd) return undefined
  if (chainId === undefined || nonce === undefined || gasLimit === undefined || value === undefined) return undefined
  if (maxPriorityFeePerGas === undefined || maxFeePerGas === undefined) return undefined
  if (yParity === undefined || yParity > 1n || r === undefined || s === undefined) return undefined
  return {
    type: TYPE,
    chainId,
    nonce,
    maxPriorityFeePerGas,
    maxFeePerGas,
    gasLimit,
    value,
    data,
    accessList: NOTHING,
    to,
    signature: { r, s, yParity: yParity === 1n ? 1 : 0 },
  }
}

/** Whether a list begins there and takes the rest, canonically. */
function openList(raw: Bytes, at: number): boolean {
  const prefix = raw[at] ?? 0
  if (prefix < 0xc0 || prefix > 0xf9) return false
  bytes = raw
  listEnd = raw.length
  end = prefix <= 0xf7 ? at + 1 : at + 1 + prefix - 0xf7
  return end + lengthAt(prefix, 0xc0, at) === listEnd
}

/** Reads a string; `false`: something else comes, or it is not canonical. */
function string(): boolean {
  const at = end
  const prefix = bytes[at] ?? 0xff
  if (prefix < 0x80) {
    start = at
    end = at + 1
  } else if (prefix <= 0xb9) {
    start = prefix <= 0xb7 ? at + 1 : at + 1 + prefix - 0xb7
    end = start + lengthAt(prefix, 0x80, at)
    if (end === start + 1 && prefix === 0x81 && bytes[start]! < 0x80) return false
  } else return false
  return end <= listEnd
}

/** Of a content whose prefix is there; one that no content has where it is not canonical. */
function lengthAt(prefix: number, base: number, at: number): number {
  const short = prefix - base
  if (short <= 55) return short
  const first = bytes[at + 1] ?? 0
  const length = short === 56 ? first : first * 256 + (bytes[at + 2] ?? 0)
  return first === 0 || length <= 55 ? Number.POSITIVE_INFINITY : length
}

/** `undefined`: it is none, not canonical, or longer. */
function integer(maxBytes: number): bigint | undefined {
  if (!string()) {
    // Nothing comes behind it.
    end = Number.POSITIVE_INFINITY
    return undefined
  }
  const length = end - start
  if (length > maxBytes || (length > 0 && bytes[start] === 0)) return undefined
  if (length > EXACT_BYTES) return BigInt(hexWithin(bytes, start, end))
  let value = 0
  for (let index = start; index < end; index++) value = value * 256 + bytes[index]!
  return BigInt(value)
}
