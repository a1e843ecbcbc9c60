import { type Address, type Bytes, bytesToHex, type Hash, type Hex, type Slot, slotOfHash } from './hex.ts'

export const MAX_UINT64 = (1n << 64n) - 1n
export const MAX_UINT256 = (1n << 256n) - 1n

/** A JSON-RPC quantity: hex without leading zeros, `0x0` for zero. */
export function toQuantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}

/** Big-endian, without leading zero bytes; zero is no bytes (the form RLP wants). */
export function bigintToBytes(value: bigint): Bytes {
  if (value === 0n) return new Uint8Array(0)
  if (value <= MAX_FAST) return numberToBytes(Number(value))
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

/** Exact as a double, and by far the most common size. */
const MAX_FAST = BigInt(Number.MAX_SAFE_INTEGER)

function numberToBytes(value: number): Bytes {
  let length = 0
  for (let rest = value; rest >= 1; rest /= 256) length++
  const bytes = Buffer.allocUnsafe(length)
  let rest = value
  for (let index = length - 1; index >= 0; index--) {
    bytes[index] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return bytes
}

/** Big-endian, any length; an empty array is zero. */
export function bytesToBigint(bytes: Bytes): bigint {
  return bytes.length === 0 ? 0n : BigInt(bytesToHex(bytes))
}

/** A 256-bit word as a 32-byte key, big-endian. @throws RangeError for a larger value */
export function bigintToHash(value: bigint): Hash {
  if (value > MAX_UINT256) throw new RangeError('a word has at most 256 bits')
  return `0x${value.toString(16).padStart(64, '0')}` as Hash
}

export function bigintToSlot(value: bigint): Slot {
  return slotOfHash(bigintToHash(value))
}

/** The address in the low 20 bytes of a word. */
export function wordToAddress(word: bigint): Address {
  return `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}` as Address
}

/** A 256-bit word as 32 bytes, big-endian. */
export function bigintToWord(value: bigint): Bytes {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
}
