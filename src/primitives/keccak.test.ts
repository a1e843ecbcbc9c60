import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from './hex.ts'
import { EMPTY_CODE_HASH, keccak256, keccak256Into, keccakHash } from './keccak.ts'

/** Bytes absorbed per permutation. */
const RATE = 136

/** Aperiodic bytes, so that a misplaced block shows. */
function pattern(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (Math.imul(index + 1, 0x9e3779b1) >>> 24) & 0xff)
}

function expectSame(data: Uint8Array): void {
  const expected = keccak_256(data)
  expect(bytesToHex(keccak256(data))).toBe(bytesToHex(expected))
  expect(keccakHash(data)).toBe(bytesToHex(expected))
  const target = new Uint8Array(32)
  keccak256Into(data, target)
  expect(bytesToHex(target)).toBe(bytesToHex(expected))
}

describe('keccak256', () => {
  it('returns the digests of the Keccak reference', () => {
    expect(EMPTY_CODE_HASH).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
    expect(keccakHash(Buffer.from('abc'))).toBe('0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45')
  })

  it('agrees with another implementation at every length around the first three blocks', () => {
    for (let length = 0; length <= 3 * RATE + 1; length++) expectSame(pattern(length))
  })

  it('agrees with another implementation on any bytes, at any offset in memory', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat({ max: 40 }), (bytes, skipped) => {
        expectSame(bytes)
        expectSame(bytes.subarray(skipped))
      }),
      { numRuns: 300 },
    )
  })

  it.each([480 * RATE - 1, 480 * RATE, 480 * RATE + 1, 960 * RATE, 1_000_000, 1 << 20])(
    'agrees with another implementation on %i bytes, more than go into the module at once',
    (length) => expectSame(pattern(length)),
  )

  it('returns bytes that a later call does not change', () => {
    const first = keccak256(pattern(1))
    const copy = bytesToHex(first)
    keccak256(pattern(2))
    expect(bytesToHex(first)).toBe(copy)
    expect(first.buffer.byteLength).toBe(32)
  })

  it('does not change its input', () => {
    const data = pattern(200)
    keccak256(data)
    expect(data).toEqual(pattern(200))
  })
})
