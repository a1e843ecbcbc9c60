import { type Address, type Bytes, type Hash, hexToBytes, type Slot } from '../../../primitives/hex.ts'

const HEIGHT_BYTES = 8
const UINT32 = 2 ** 32
/** Differs from the first byte of every `~n`. */
const CLEARED = Uint8Array.of(0)

/** A block number as a key: big-endian u64, which sorts numerically. */
export function blockKey(number: number): Bytes {
  return joinBytes(new Uint8Array(0), Math.floor(number / UINT32), number % UINT32)
}

/** The block number in the key at `offset`. */
export function heightIn(key: Bytes, offset = 0): number {
  return readUint32(key, offset) * UINT32 + readUint32(key, offset + 4)
}

/** Key of an item (an address, or address and slot) after a block; newest first, so that one seek finds it. */
export function historyKey(item: Bytes, number: number): Bytes {
  return joinBytes(item, UINT32 - 1 - Math.floor(number / UINT32), UINT32 - 1 - (number % UINT32))
}

/** Item of the account history that says when the storage of an account was cleared; below all items of the account. */
export function clearedKey(address: Bytes): Bytes {
  return Buffer.concat([address, CLEARED])
}

/** The block number at the end of a history key. */
export function historyHeightIn(key: Bytes): number {
  // In two halves, since ~n is not a safe integer.
  const offset = key.length - HEIGHT_BYTES
  return (UINT32 - 1 - readUint32(key, offset)) * UINT32 + (UINT32 - 1 - readUint32(key, offset + 4))
}

export function slotKey(address: Address, slot: Slot): Bytes {
  return hexToBytes(`${address}${slot.slice(2)}`)
}

/** Key of a group of logs of a block. */
export function logGroupKey(number: number, group: number): Bytes {
  return joinBytes(blockKey(number), group)
}

export function groupIn(key: Bytes): number {
  return readUint32(key, HEIGHT_BYTES)
}

/** Index term of an address. */
export function addressTerm(address: Address): Bytes {
  return hexToBytes(`0x00${address.slice(2)}`)
}

/** @param position 0 to 3 */
export function topicTerm(position: number, topic: Hash): Bytes {
  return hexToBytes(`0x0${position + 1}${topic.slice(2)}`)
}

/** The first byte of entries of token holders; those of terms have smaller ones. */
export const HOLDERS_KEY: Bytes = Uint8Array.of(5)

/** The prefix of the keys of all holders of a token. */
export function holdersOf(token: Address): Bytes {
  return hexToBytes(`0x05${token.slice(2)}`)
}

export function holderKey(token: Address, holder: Address): Bytes {
  return hexToBytes(`0x05${token.slice(2)}${holder.slice(2)}`)
}

export function postingKey(term: Bytes, number: number): Bytes {
  return joinBytes(term, Math.floor(number / UINT32), number % UINT32)
}

/** Key of a trie node. A leading zero byte, since LMDB does not accept an empty key for the root. */
export function trieNodeKey(path: Bytes): Bytes {
  const key = Buffer.allocUnsafe(1 + path.length)
  key[0] = 0
  key.set(path, 1)
  return key
}

export function startsWith(key: Bytes, prefix: Bytes): boolean {
  if (key.length < prefix.length) return false
  for (let index = prefix.length - 1; index >= 0; index--) if (key[index] !== prefix[index]) return false
  return true
}

/** The range of keys with a prefix. */
export function withPrefix(prefix: Bytes): { readonly from: Bytes; readonly to?: Bytes } {
  let last = prefix.length - 1
  while (last >= 0 && prefix[last] === 0xff) last--
  if (last < 0) return { from: prefix }
  // Not `slice`: on a Buffer it would share memory with `prefix`.
  const to = Uint8Array.from(prefix.subarray(0, last + 1))
  to[last]! += 1
  return { from: prefix, to }
}

/** `front` followed by the numbers as big-endian u32. */
function joinBytes(front: Bytes, ...numbers: readonly number[]): Bytes {
  const key = Buffer.allocUnsafe(front.length + 4 * numbers.length)
  key.set(front)
  for (let index = 0; index < numbers.length; index++) key.writeUInt32BE(numbers[index]!, front.length + 4 * index)
  return key
}

function readUint32(bytes: Bytes, offset: number): number {
  return bytes[offset]! * 2 ** 24 + ((bytes[offset + 1]! << 16) | (bytes[offset + 2]! << 8) | bytes[offset + 3]!)
}
