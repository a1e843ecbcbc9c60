import type { Bytes } from '../../primitives/hex.ts'

/**
 * A parent's reference to a node (Yellow Paper, appendix D): the keccak-256 of the node's RLP, or that RLP itself if it
 * is shorter than 32 bytes.
 */
export type NodeReference = Bytes

/** Length of a hash reference; every other one is shorter. */
export const HASH_LENGTH = 32

const CHILDREN = 16
const EMPTY_ITEM = 0x80
const HASH_ITEM = 0x80 + HASH_LENGTH
const LIST = 0xc0
const LONG_LIST = 0xf7
/** A branch has at most 17 items of 33 bytes: the length of its content fits two bytes. */
const MAX_PREFIX = 3

const scratch = Buffer.alloc(MAX_PREFIX + (CHILDREN + 1) * (1 + HASH_LENGTH))

/**
 * The RLP of a branch without a value, derived from that of a branch with some other children: unchanged references are
 * copied as they are.
 *
 * @param before `undefined` when all children are replaced
 * @param replaced reference of each changed child; `null` if it was removed
 */
export function encodeBranch(
  before: Bytes | undefined,
  replaced: readonly (NodeReference | null | undefined)[],
): Bytes {
  return (before && withOtherHashes(before, replaced)) ?? encodeItems(before, replaced)
}

/** Fast path: hashes replaced by hashes. `undefined` for anything else. */
function withOtherHashes(before: Bytes, replaced: readonly (NodeReference | null | undefined)[]): Bytes | undefined {
  const branch = Buffer.allocUnsafe(before.length)
  branch.set(before)
  for (let index = 0; index < CHILDREN; index++) {
    const reference = replaced[index]
    if (reference === undefined) continue
    const item = itemStart(before, index)
    if (reference?.length !== HASH_LENGTH || before[item] !== HASH_ITEM) return undefined
    branch.set(reference, item + 1)
  }
  return branch
}

function encodeItems(before: Bytes | undefined, replaced: readonly (NodeReference | null | undefined)[]): Bytes {
  let end = MAX_PREFIX
  let item = before === undefined ? 0 : contentStart(before)
  let copied = item
  for (let index = 0; index < CHILDREN; index++) {
    const reference = replaced[index]
    const next = before === undefined ? 0 : itemEnd(before, item)
    if (reference !== undefined) {
      end = copyRange(before, copied, item, end)
      copied = next
      end = reference === null ? writeEmpty(end) : writeReference(reference, end)
    }
    item = next
  }
  end = writeEmpty(copyRange(before, copied, item, end))
  const start = writePrefix(end - MAX_PREFIX)
  // From the runtime's pool: a buffer for each would be expensive for the garbage collector (measured).
  const branch = Buffer.allocUnsafe(end - start)
  scratch.copy(branch, 0, start, end)
  return branch
}

/** Length of a branch with 16 hashes. */
const FULL_BRANCH = MAX_PREFIX + CHILDREN * (1 + HASH_LENGTH) + 1

/** The reference of a child, sharing memory with `branch`; `undefined` if there is none. */
export function branchReference(branch: Bytes, index: number): NodeReference | undefined {
  const item = itemStart(branch, index)
  const prefix = branch[item]!
  if (prefix === EMPTY_ITEM) return undefined
  const start = prefix === HASH_ITEM ? item + 1 : item
  // `subarray` of a Buffer makes a Buffer, which takes twice as long.
  return new Uint8Array(branch.buffer, branch.byteOffset + start, itemEnd(branch, item) - start)
}

/** Bit n is set if the branch has child n. */
export function presentChildren(branch: Bytes): number {
  let children = 0
  let item = contentStart(branch)
  for (let index = 0; index < CHILDREN; index++) {
    if (branch[item] !== EMPTY_ITEM) children |= 1 << index
    item = itemEnd(branch, item)
  }
  return children
}

/** Bit n is set if two branches differ in the reference of child n. */
export function differingChildren(a: Bytes, b: Bytes): number {
  let differing = 0
  let itemA = contentStart(a)
  let itemB = contentStart(b)
  for (let index = 0; index < CHILDREN; index++) {
    const endA = itemEnd(a, itemA)
    const endB = itemEnd(b, itemB)
    if (endA - itemA !== endB - itemB || !sameBytes(a, itemA, b, itemB, endA - itemA)) differing |= 1 << index
    itemA = endA
    itemB = endB
  }
  return differing
}

function sameBytes(a: Bytes, fromA: number, b: Bytes, fromB: number, length: number): boolean {
  for (let offset = 0; offset < length; offset++) {
    if (a[fromA + offset] !== b[fromB + offset]) return false
  }
  return true
}

function itemStart(branch: Bytes, index: number): number {
  let item = contentStart(branch)
  if (branch.length === FULL_BRANCH) return item + index * (1 + HASH_LENGTH)
  for (let before = 0; before < index; before++) item = itemEnd(branch, item)
  return item
}

function copyRange(from: Bytes | undefined, start: number, end: number, to: number): number {
  if (from === undefined || start === end) return to
  scratch.set(from.subarray(start, end), to)
  return to + end - start
}

function writeEmpty(offset: number): number {
  scratch[offset] = EMPTY_ITEM
  return offset + 1
}

function writeReference(reference: NodeReference, offset: number): number {
  const isHash = reference.length === HASH_LENGTH
  if (isHash) scratch[offset] = HASH_ITEM
  const start = isHash ? offset + 1 : offset
  scratch.set(reference, start)
  return start + reference.length
}

/** Writes the prefix in front of the content; returns its start. */
function writePrefix(length: number): number {
  if (length <= 55) {
    scratch[MAX_PREFIX - 1] = LIST + length
    return MAX_PREFIX - 1
  }
  scratch[MAX_PREFIX - 1] = length & 0xff
  if (length <= 0xff) {
    scratch[MAX_PREFIX - 2] = LONG_LIST + 1
    return MAX_PREFIX - 2
  }
  scratch[MAX_PREFIX - 2] = length >> 8
  scratch[MAX_PREFIX - 3] = LONG_LIST + 2
  return MAX_PREFIX - 3
}

function contentStart(branch: Bytes): number {
  const prefix = branch[0]!
  return prefix <= LONG_LIST ? 1 : 1 + prefix - LONG_LIST
}

/** An item is empty, a hash, or a short node, which is a list of at most 30 bytes. */
function itemEnd(branch: Bytes, offset: number): number {
  const prefix = branch[offset]!
  return prefix >= LIST ? offset + 1 + prefix - LIST : offset + 1 + prefix - EMPTY_ITEM
}
