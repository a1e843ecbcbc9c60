import type { Fork } from '../chain/forks/forks.ts'
import type { Address, Bytes } from '../primitives/hex.ts'
import type { NativeContract } from './native-contract.ts'

/** A precompiled contract. */
export interface Precompile {
  /** Gas of the call, successful or not; a failed call consumes all of its gas. */
  gas(input: Bytes, fork: Fork): bigint
  /**
   * The output as a new array; undefined when the call fails. Call it only after charging `gas`, which bounds its run
   * time.
   */
  run(input: Bytes, fork: Fork): Bytes | undefined
}

/** @example precompileAddress(0x100) // 0x0000000000000000000000000000000000000100 */
export function precompileAddress(number: number): Address {
  return `0x${number.toString(16).padStart(40, '0')}` as Address
}

/** Number of 32-byte words that hold `length` bytes. */
export function wordCount(length: number): bigint {
  return BigInt(Math.ceil(length / 32))
}

/** `size` bytes at `offset`, zero-padded beyond the end (Yellow Paper, appendix E). */
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

/** Binds a precompile to the rules of one fork. */
export function bindPrecompile(precompile: Precompile, fork: Fork): NativeContract {
  return ({ input, gas }) => {
    const gasUsed = precompile.gas(input, fork)
    if (gasUsed > gas) return { kind: 'out of gas' }
    const output = precompile.run(input, fork)
    return output === undefined ? { kind: 'failed' } : { kind: 'success', output, gasUsed }
  }
}
