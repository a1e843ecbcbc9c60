import type { Bytes } from '../../primitives/hex.ts'

/**
 * How a parent names a node (yellow paper, appendix D): the keccak-256 of the node's RLP, 32 bytes, or that RLP itself
 * where it is shorter.
 */
export type NodeReference = Bytes

/** Bytes of a reference that is a hash; every other one is shorter. */
export const HASH_LENGTH = 32

const CHILDREN = 16
const EMPTY_ITEM = 0x80
const HASH_ITEM = 0x80 + HASH_LENGTH
const LIST = 0xc0
const LONG_LIST = 0xf7
/** A branch holds at most 17 items of 33 bytes: the length of its content fits two bytes behind the prefix. */
const MAX_PREFIX = 3

const scratch = Buffer.alloc(MAX_PREFIX + (CHILDREN + 1) * (1 + HASH_LENGTH))

/**
 * The RLP of a branch without a value, made from that of another branch of which some children were replaced: what is
 * the same is copied without a look at the children.
 *
 * @param before `undefined` when all are replaced
 * @param replaced at the index of each child that is not as before, its reference; `null` when it is gone
 */
export function encodeBranch(
  before: Bytes | undefined,
  replaced: readonly (NodeReference | null | undefined)[],
): Bytes {
  return (before && withOtherHashes(before, replaced)) ?? encodeItems(before, replaced)
}

/** What nearly always happens: hashes in the place of hashes. `undefined` when it is something else. */
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
  // From the runtime's pool: memory of its own for each would cost the garbage collector dearly (measured).
  const branch = Buffer.allocUnsafe(end - start)
  scratch.copy(branch, 0, start, end)
  return branch
}

/** The length of a branch of which all children are there and named by their hashes. */
const FULL_BRANCH = MAX_PREFIX + CHILDREN * (1 + HASH_LENGTH) + 1

/** How a branch names its child; shares memory with it. `undefined`: there is none. */
export function branchReference(branch: Bytes, index: number): NodeReference | undefined {
  const item = itemStart(branch, index)
  const prefix = branch[item]!
  if (prefix === EMPTY_ITEM) return undefined
  const start = prefix === HASH_ITEM ? item + 1 : item
  // Where `subarray` of a Buffer makes another Buffer, which takes twice as long.
  return new Uint8Array(branch.buffer, branch.byteOffset + start, itemEnd(branch, item) - start)
}

/** Bit n is set where a branch has child n. */
export function presentChildren(branch: Bytes): number {
  let children = 0
  let item = contentStart(branch)
  for (let index = 0; index < CHILDREN; index++) {
    if (branch[item] !== EMPTY_ITEM) children |= 1 << index
    item = itemEnd(branch, item)
  }
  return children
}

/** Bit n is set where two branches name child n differently. */
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

/** Puts the prefix right before the content; returns where it begins. */
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

/** Items are empty, a hash, or a short node, which is a list of at most 30 bytes. */
function itemEnd(branch: Bytes, offset: number): number {
  const prefix = branch[offset]!
  return prefix >= LIST ? offset + 1 + prefix - LIST : offset + 1 + prefix - EMPTY_ITEM
}
