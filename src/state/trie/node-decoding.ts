import type { Bytes } from '../../primitives/hex.ts'
import { HASH_LENGTH } from './branch-encoding.ts'
import { decodeCompactPath, isLeafPath } from './nibbles.ts'
import { leafNode, type PresentNode, type TrieNode, unresolvedNode } from './node.ts'

/** Decodes the value of a leaf. */
export type ValueDecoder<V> = (bytes: Bytes) => V

/** Not frozen: copying a frozen array is slow. */
const NO_CHILDREN: readonly undefined[] = new Array<undefined>(16).fill(undefined)
const READ = 0

/**
 * Inverse of `encodeNode`. Keeps the input, which is trusted: its hash was checked, or that of the parent that embeds
 * it.
 */
export function decodeNode<V>(node: Bytes, decode: ValueDecoder<V>): PresentNode<V> {
  const path = itemAt(node, itemAt(node, 0).start)
  const second = itemAt(node, path.end)
  if (second.end < node.length) {
    return { kind: 'branch', children: NO_CHILDREN, encoding: node, stale: 0, version: READ }
  }
  const nibbles = decodeCompactPath(node, path.start, path.end)
  if (isLeafPath(node[path.start]!)) {
    const value = new Uint8Array(node.buffer, node.byteOffset + second.start, second.end - second.start)
    return leafNode(nibbles, decode(value), READ)
  }
  return { kind: 'extension', path: nibbles, child: childOfExtension(node.subarray(path.end), decode), version: READ }
}

function childOfExtension<V>(item: Bytes, decode: ValueDecoder<V>): TrieNode<V> {
  // A hash is a string of 32 bytes; a shorter node is a list.
  return item.length === 1 + HASH_LENGTH ? unresolvedNode(item.subarray(1)) : decodeNode(item, decode)
}

interface Item {
  readonly start: number
  readonly end: number
}

/** Bounds of the content of an RLP item (Yellow Paper, appendix B). */
function itemAt(bytes: Bytes, offset: number): Item {
  const prefix = bytes[offset]!
  if (prefix < 0x80) return { start: offset, end: offset + 1 }
  const short = prefix - (prefix < 0xc0 ? 0x80 : 0xc0)
  if (short <= 55) return { start: offset + 1, end: offset + 1 + short }
  const start = offset + 1 + short - 55
  let length = 0
  for (let index = offset + 1; index < start; index++) length = length * 256 + bytes[index]!
  return { start, end: start + length }
}
