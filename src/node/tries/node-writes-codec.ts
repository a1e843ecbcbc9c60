import type { Bytes } from '../../primitives/hex.ts'
import type { TrieNodeWrites } from '../../state/trie-node-source.ts'

/** Bytes of a count, of a key length, and of a node length. */
const COUNT = 4
const KEY_LENGTH = 1
const NODE_LENGTH = 4

const MAXIMUM_KEY = 255

/**
 * Encodes trie node writes as one buffer for another thread: three counts, then prefixes, deletes and puts, each with
 * its length first.
 *
 * @throws RangeError if a key has more than 255 bytes; trie keys have at most 97
 * @example decodeNodeWrites(encodeNodeWrites(writes)) // the same
 */
export function encodeNodeWrites({ deletedPrefixes, deletes, puts }: TrieNodeWrites): Bytes {
  const placed = [...puts]
  let room = 3 * COUNT
  for (const key of deletedPrefixes) room += KEY_LENGTH + key.length
  for (const key of deletes) room += KEY_LENGTH + key.length
  for (const [key, node] of placed) room += KEY_LENGTH + key.length + NODE_LENGTH + node.length
  const bytes = Buffer.allocUnsafeSlow(room)
  let at = 0
  for (const { length } of [deletedPrefixes, deletes, placed]) at = bytes.writeUInt32LE(length, at)
  for (const key of deletedPrefixes) writeKey(key)
  for (const key of deletes) writeKey(key)
  for (const [key, node] of placed) {
    writeKey(key)
    at = bytes.writeUInt32LE(node.length, at)
    bytes.set(node, at)
    at += node.length
  }
  return bytes

  function writeKey(key: Bytes): void {
    if (key.length > MAXIMUM_KEY) throw new RangeError(`the path of a trie node has ${key.length} bytes`)
    bytes[at] = key.length
    bytes.set(key, at + KEY_LENGTH)
    at += KEY_LENGTH + key.length
  }
}

/** The result shares memory with `encoded`. Puts are decoded lazily: a block has tens of thousands. */
export function decodeNodeWrites(encoded: Bytes): TrieNodeWrites {
  const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.length)
  let at = 3 * COUNT
  const keys = (count: number) => Array.from({ length: count }, () => readKey())
  const deletedPrefixes = keys(bytes.readUInt32LE(0))
  const deletes = keys(bytes.readUInt32LE(COUNT))
  const count = bytes.readUInt32LE(2 * COUNT)
  return { deletedPrefixes, deletes, puts: { [Symbol.iterator]: () => puts(bytes, at, count) } }

  function readKey(): Bytes {
    const start = at + KEY_LENGTH
    at = start + bytes[at]!
    return bytes.subarray(start, at)
  }
}

function* puts(bytes: Buffer, start: number, count: number): Generator<readonly [key: Bytes, node: Bytes]> {
  let at = start
  for (let index = 0; index < count; index++) {
    const keyEnd = at + KEY_LENGTH + bytes[at]!
    const nodeStart = keyEnd + NODE_LENGTH
    const nodeEnd = nodeStart + bytes.readUInt32LE(keyEnd)
    yield [bytes.subarray(at + KEY_LENGTH, keyEnd), bytes.subarray(nodeStart, nodeEnd)]
    at = nodeEnd
  }
}
