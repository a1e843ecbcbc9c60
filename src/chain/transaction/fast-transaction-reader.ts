import { type Address, type Bytes, EMPTY_BYTES, hexWithin } from '../../primitives/hex.ts'
import type { TransactionFields } from './transaction-payload.ts'

type DynamicFeeTransaction = Extract<TransactionFields, { type: 2 }>

const TYPE = 2
const NOTHING: DynamicFeeTransaction['accessList'] = Object.freeze([])
/** Integers of up to this many bytes fit a double. */
const EXACT_BYTES = 6

/** State of the reader, which is synchronous: input, end of its list, and bounds of the string read last. */
let bytes: Bytes = EMPTY_BYTES
let listEnd = 0
let start = 0
let end = 0

/**
 * Fast path of transaction decoding: reads a dynamic-fee (type 2) transaction without an access list in place, with
 * members of up to 65,535 bytes. `decodeRlp` allocates an object per member, which takes longer than the rest of
 * decoding.
 *
 * @returns `undefined` for anything else, valid or not: `readTransaction` decodes it or reports the error
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

/** Whether a canonical list starts there and spans the rest of the input. */
function openList(raw: Bytes, at: number): boolean {
  const prefix = raw[at] ?? 0
  if (prefix < 0xc0 || prefix > 0xf9) return false
  bytes = raw
  listEnd = raw.length
  end = prefix <= 0xf7 ? at + 1 : at + 1 + prefix - 0xf7
  return end + lengthAt(prefix, 0xc0, at) === listEnd
}

/** Reads a string; `false` if the next item is not a canonical string. */
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

/** Length of a long content; an impossible length if it is not canonical. */
function lengthAt(prefix: number, base: number, at: number): number {
  const short = prefix - base
  if (short <= 55) return short
  const first = bytes[at + 1] ?? 0
  const length = short === 56 ? first : first * 256 + (bytes[at + 2] ?? 0)
  return first === 0 || length <= 55 ? Number.POSITIVE_INFINITY : length
}

/** `undefined` unless a canonical integer of at most `maxBytes` follows. */
function integer(maxBytes: number): bigint | undefined {
  if (!string()) {
    // Makes every later read fail.
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
