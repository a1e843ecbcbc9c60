import type { Bytes } from './hex.ts'
import { type RlpSource, writtenRlp } from './rlp-writer.ts'

export type { RlpSource } from './rlp-writer.ts'

/** A decoded item: bytes, or a list of items. */
export type RlpItem = Bytes | readonly RlpItem[]

export class RlpError extends Error {
  readonly code = 'INVALID_RLP'
  override readonly name = 'RlpError'
}

/** Blocks nest 6 deep and trie nodes 16; deeper input would only exhaust the stack. */
export const MAX_RLP_DEPTH = 64

/**
 * The RLP of an item (Yellow Paper, appendix B).
 *
 * @throws InvalidHexError
 * @example encodeRlp([1n, '0x', '0x0400']) // 0xc50180820400
 */
export function encodeRlp(item: RlpSource): Bytes {
  return writtenRlp(item, undefined)
}

/** The RLP of an item behind a type byte: an EIP-2718 envelope, or the message of EIP-7702. */
export function encodeTypedRlp(type: number, item: RlpSource): Bytes {
  return writtenRlp(item, type)
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
 * The items of a list, each still encoded, for readers that need few of them. They share memory with the input.
 *
 * @throws RlpError when `bytes` are not exactly one list
 * @example rlpItems(hexToBytes('0xc20180')) // [0x01], [0x80]
 */
export function rlpItems(bytes: Bytes): readonly Bytes[] {
  const head = readHead(bytes, 0, bytes.length)
  if (!head.isList || head.end !== bytes.length) throw new RlpError('the bytes are not one RLP list')
  const items: Bytes[] = []
  for (let offset = head.start; offset < head.end; ) {
    const { end } = readHead(bytes, offset, head.end)
    items.push(bytes.subarray(offset, end))
    offset = end
  }
  return items
}

/**
 * Encoded length of a string or list whose content takes `content` bytes; not for a single byte below 0x80.
 *
 * @example rlpLength(60) // 62
 */
export function rlpLength(content: number): number {
  return prefixLength(content) + content
}

/**
 * Encoded length of the item that starts with `front`: for reading a concatenation in chunks.
 *
 * @returns undefined when `front` is too short to tell
 * @throws RlpError when no item starts like this
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

/** Kind and extent of an item. */
export interface RlpHead {
  readonly isList: boolean
  /** Offsets of the content. */
  readonly start: number
  readonly end: number
}

/**
 * Kind and extent of the item at `offset`.
 *
 * @throws RlpError when it is not canonical or ends after `limit`
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

function prefixLength(length: number): number {
  return length <= 55 ? 1 : 1 + byteCount(length)
}

function byteCount(length: number): number {
  let count = 0
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) count++
  return count
}
