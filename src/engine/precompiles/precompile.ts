import type { Fork } from '../../chain/forks/forks.ts'
import type { Bytes } from '../../primitives/hex.ts'

/** A contract that is not code but rules. */
export interface Precompile {
  /** What the call costs, whether it succeeds or not; a failed call takes all of its gas. */
  gas(input: Bytes, fork: Fork): bigint
  /**
   * The output, which is the caller's own; undefined when the call fails. Call it only when `gas` is paid for: what it
   * takes is bounded by that.
   */
  run(input: Bytes, fork: Fork): Bytes | undefined
}

/** How many 32-byte words hold so many bytes. */
export function wordCount(length: number): bigint {
  return BigInt(Math.ceil(length / 32))
}

/** The `size` bytes at `offset`, with zeros for those behind the end (yellow paper, appendix E). */
export function paddedSlice(input: Bytes, offset: number, size: number): Bytes {
  const end = offset + size
  if (end <= input.length) return input.subarray(offset, end)
  const padded = new Uint8Array(size)
  if (offset < input.length) padded.set(input.subarray(offset))
  return padded
}

export function isZeroBytes(bytes: Bytes): boolean {
  return bytes.every((byte) => byte === 0)
}
