import { type Address, type Bytes, bytesToHex, hexToBytes, toAddress } from '../../primitives/hex.ts'
import { bigintToWord, bytesToBigint } from '../../primitives/quantity.ts'

// The few ABI forms that reading tokens needs. A general codec would slow the start (test/layers.test.ts), and
// results of untrusted contracts are bounded here before they are decoded.

/** Calldata of reads without arguments: the first four bytes of the keccak-256 of each signature. */
export const READS = {
  'totalSupply()': hexToBytes('0x18160ddd'),
  'decimals()': hexToBytes('0x313ce567'),
  'multiplier()': hexToBytes('0x1b3ed722'),
  'uiMultiplier()': hexToBytes('0xa60bf13d'),
  'totalSupplyUI()': hexToBytes('0x9bea6429'),
  'pausedFeatures()': hexToBytes('0xde9997e3'),
  'symbol()': hexToBytes('0x95d89b41'),
  'name()': hexToBytes('0x06fdde03'),
  'latestRoundData()': hexToBytes('0xfeaf968c'),
  'newUIMultiplier()': hexToBytes('0xdc767007'),
  'effectiveAt()': hexToBytes('0x97a4064f'),
  'supplyCap()': hexToBytes('0x8f770ad0'),
  'currency()': hexToBytes('0xe5a6b10f'),
  'description()': hexToBytes('0x7284e416'),
  'session()': hexToBytes('0x5e3568b8'),
  'MINT_ROLE()': hexToBytes('0xe9a9c850'),
} as const

/** `extraMetadata("isin")` */
export const EXTRA_METADATA_ISIN = Buffer.concat([
  hexToBytes('0x4ddf9da0'),
  bigintToWord(32n),
  bigintToWord(4n),
  Buffer.from('isin'.padEnd(32, '\0')),
])

/** `stocksFrom(uint256 offset, uint256 limit)` */
export function stocksFrom(offset: number, limit: number): Bytes {
  return Buffer.concat([hexToBytes('0xb0fb62c6'), bigintToWord(BigInt(offset)), bigintToWord(BigInt(limit))])
}

/** `balanceOf(address account)` */
export function balanceOf(account: Address): Bytes {
  return Buffer.concat([hexToBytes('0x70a08231'), bigintToWord(BigInt(account))])
}

const WORD = 32

/** The nth word of a result; `undefined` if it is missing. Decoders accept `undefined`, the result of a failed call. */
export function wordAt(output: Bytes | undefined, index: number): bigint | undefined {
  const end = (index + 1) * WORD
  return output === undefined || output.length < end ? undefined : bytesToBigint(output.subarray(end - WORD, end))
}

/**
 * The nth value if it is a `string`, with invalid bytes replaced by U+FFFD; `undefined` when missing or longer than
 * `maxBytes`.
 */
export function decodeString(output: Bytes | undefined, maxBytes: number, index = 0): string | undefined {
  const tail = tailOf(output, index)
  if (tail === undefined || tail.length > maxBytes || tail.data.length < tail.length) return undefined
  return Buffer.from(tail.data.subarray(0, tail.length)).toString('utf8')
}

/** A returned array of words, such as `uint8[]`; `undefined` when missing or longer than `maxLength`. */
export function decodeWords(output: Bytes | undefined, maxLength: number): readonly bigint[] | undefined {
  const tail = tailOf(output)
  if (tail === undefined || tail.length > maxLength || tail.data.length < tail.length * WORD) return undefined
  return Array.from({ length: tail.length }, (_, index) => wordAt(tail.data, index)!)
}

/** A returned `address[]`; `undefined` when missing or longer than `maxLength`. */
export function decodeAddresses(output: Bytes | undefined, maxLength: number): readonly Address[] | undefined {
  return decodeWords(output, maxLength)?.map((word) => toAddress(bytesToHex(bigintToWord(word).subarray(12))))
}

/** Length and data of the nth value if it is dynamic. */
function tailOf(output: Bytes | undefined, index = 0): { readonly length: number; readonly data: Bytes } | undefined {
  const offset = wordAt(output, index)
  if (output === undefined || offset === undefined || offset > BigInt(output.length)) return undefined
  const tail = output.subarray(Number(offset))
  const length = wordAt(tail, 0)
  if (length === undefined || length > BigInt(tail.length)) return undefined
  return { length: Number(length), data: tail.subarray(WORD) }
}
