import type { Bytes } from './hex.ts'

/** What RLP encodes: bytes, or a list of items. */
export type RlpItem = Bytes | readonly RlpItem[]

/** An item of a concatenation and the bytes that encode it. */
export interface RlpSequenceItem {
  readonly item: RlpItem
  readonly raw: Bytes
}

export class RlpError extends Error {
  readonly code = 'INVALID_RLP'
  override readonly name = 'RlpError'
}

/** Blocks nest 6 deep and trie nodes 16; more is an attempt on the stack. */
export const MAX_RLP_DEPTH = 64

/**
 * The RLP of an item (yellow paper, appendix B). Quantities go in as `bigintToBytes` gives them.
 *
 * @example encodeRlp([bigintToBytes(1n), new Uint8Array(0)]) // 0xc20180
 */
export function encodeRlp(item: RlpItem): Bytes {
  const out = new Uint8Array(encodedLength(item))
  write(out, 0, item)
  return out
}

/**
 * The same in `space` if it fits there, else in new memory: for bytes that are read at once and not kept.
 *
 * @example keccak256(encodeRlpIn(space, item))
 */
export function encodeRlpIn(space: Bytes, item: RlpItem): Bytes {
  const length = encodedLength(item)
  const out = length <= space.length ? space.subarray(0, length) : new Uint8Array(length)
  write(out, 0, item)
  return out
}

/**
 * The item that `bytes` encode, canonically and to the last byte. Its bytes share memory with the input.
 *
 * @throws RlpError when anything is not canonical, missing or left over, or nested deeper than `MAX_RLP_DEPTH`
 * @example decodeRlp(hexToBytes('0xc20180')) // [0x01, empty]
 */
export function decodeRlp(bytes: Bytes): RlpItem {
  const head = readHead(bytes, 0, bytes.length)
  if (head.end !== bytes.length) throw new RlpError(`${bytes.length - head.end} bytes after the end of the RLP item`)
  return decodeBody(bytes, head, 0)
}

/**
 * The items of a concatenation one after the other, as in a file of blocks.
 *
 * @throws RlpError at the first item that is not canonical RLP
 */
export function* decodeRlpSequence(bytes: Bytes): Generator<RlpSequenceItem, void, undefined> {
  let offset = 0
  while (offset < bytes.length) {
    const head = readHead(bytes, offset, bytes.length)
    yield { item: decodeBody(bytes, head, 0), raw: bytes.subarray(offset, head.end) }
    offset = head.end
  }
}

/**
 * Bytes that a string or list takes whose content, encoded, takes `content`; not for a single byte below 0x80.
 *
 * @example rlpLength(60) // 62
 */
export function rlpLength(content: number): number {
  return prefixLength(content) + content
}

/**
 * How many bytes the item takes that begins like this: for reading a concatenation piece by piece.
 *
 * @returns undefined when `front` is too short to tell
 * @throws RlpError when no item begins so
 */
export function rlpItemLength(front: Bytes): number | undefined {
  const prefix = front[0]
  if (prefix === undefined) return undefined
  if (prefix < 0x80) return 1
  const short = prefix - (prefix >= 0xc0 ? 0xc0 : 0x80)
  if (short <= 55) return 1 + short
  const start = 1 + (short - 55)
  return front.length < start ? undefined : start + readLength(front, 1, start, start)
}

/** Of an item. */
export interface RlpHead {
  readonly isList: boolean
  /** Where the content begins and ends. */
  readonly start: number
  readonly end: number
}

/**
 * What an item at `offset` is, without its content.
 *
 * @throws RlpError when it is not canonical, or does not end before `limit`
 */
export function readHead(bytes: Bytes, offset: number, limit: number): RlpHead {
  if (offset >= limit) throw new RlpError('an RLP item is missing')
  const prefix = bytes[offset]!
  if (prefix < 0x80) return { isList: false, start: offset, end: offset + 1 }
  const isList = prefix >= 0xc0
  const short = prefix - (isList ? 0xc0 : 0x80)
  if (short <= 55) {
    const start = offset + 1
    const end = start + short
    if (end > limit) throw new RlpError('an RLP item is longer than its surroundings')
    if (!isList && short === 1 && bytes[start]! < 0x80) {
      throw new RlpError('non-canonical RLP: a single byte below 0x80 needs no prefix')
    }
    return { isList, start, end }
  }
  const start = offset + 1 + (short - 55)
  const length = readLength(bytes, offset + 1, start, limit)
  if (start + length > limit) throw new RlpError('an RLP item is longer than its surroundings')
  return { isList, start, end: start + length }
}

function readLength(bytes: Bytes, from: number, to: number, limit: number): number {
  if (to > limit) throw new RlpError('the length of an RLP item is cut off')
  if (bytes[from] === 0) throw new RlpError('non-canonical RLP: leading zero in a length')
  let length = 0
  for (let index = from; index < to; index++) length = length * 256 + bytes[index]!
  if (length <= 55) throw new RlpError('non-canonical RLP: a length of at most 55 belongs in the prefix')
  return length
}

function decodeBody(bytes: Bytes, head: RlpHead, depth: number): RlpItem {
  if (!head.isList) return bytes.subarray(head.start, head.end)
  if (depth >= MAX_RLP_DEPTH) throw new RlpError(`RLP lists are nested deeper than ${MAX_RLP_DEPTH}`)
  const items: RlpItem[] = []
  let offset = head.start
  while (offset < head.end) {
    const child = readHead(bytes, offset, head.end)
    items.push(decodeBody(bytes, child, depth + 1))
    offset = child.end
  }
  return items
}

function isBytes(item: RlpItem): item is Bytes {
  return item instanceof Uint8Array
}

function encodedLength(item: RlpItem): number {
  if (isBytes(item)) return item.length === 1 && item[0]! < 0x80 ? 1 : prefixLength(item.length) + item.length
  const content = contentLength(item)
  return prefixLength(content) + content
}

function contentLength(items: readonly RlpItem[]): number {
  let length = 0
  for (const item of items) length += encodedLength(item)
  return length
}

function prefixLength(length: number): number {
  return length <= 55 ? 1 : 1 + byteCount(length)
}

function byteCount(length: number): number {
  let count = 0
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) count++
  return count
}

function write(out: Bytes, offset: number, item: RlpItem): number {
  if (isBytes(item)) {
    if (item.length === 1 && item[0]! < 0x80) {
      out[offset] = item[0]!
      return offset + 1
    }
    const start = writePrefix(out, offset, 0x80, item.length)
    copyBytes(out, start, item)
    return start + item.length
  }
  let next = writePrefix(out, offset, 0xc0, contentLength(item))
  for (const child of item) next = write(out, next, child)
  return next
}

/** Most items are shorter than what calling the runtime for a copy takes. */
function copyBytes(out: Bytes, start: number, item: Bytes): void {
  if (item.length > 32) out.set(item, start)
  else for (let index = 0; index < item.length; index++) out[start + index] = item[index]!
}

function writePrefix(out: Bytes, offset: number, base: number, length: number): number {
  if (length <= 55) {
    out[offset] = base + length
    return offset + 1
  }
  const count = byteCount(length)
  out[offset] = base + 55 + count
  let rest = length
  for (let index = offset + count; index > offset; index--) {
    out[index] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return offset + 1 + count
}
