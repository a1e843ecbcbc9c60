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

const scratch = new Uint8Array(MAX_PREFIX + (CHILDREN + 1) * (1 + HASH_LENGTH))

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
  return scratch.slice(writePrefix(end - MAX_PREFIX), end)
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
