import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flushHashes, queueHash } from './batched-hashes.ts'
import { bytesToHex } from './hex.ts'
import { keccakHash } from './keccak.ts'
import { encodeRlp } from './rlp.ts'
import { pushEncoded, startTransient } from './rlp-parts.ts'
import { transientRlp } from './rlp-writer.ts'

/** Some encodings exceed the scratch area, some nearly fill it; block boundaries are among them. */
const length = fc.oneof(
  { weight: 6, arbitrary: fc.nat(600) },
  { weight: 3, arbitrary: fc.constantFrom(0, 1, 7, 8, 127, 128, 135, 136, 137, 271, 272, 273, 408) },
  { weight: 1, arbitrary: fc.constantFrom(8_000, 30_000, 57_344, 65_535, 65_536, 65_537, 70_000) },
)

function message(fill: number, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => (Math.imul(index + fill + 1, 0x9e3779b1) >>> 24) & 0xff)
}

function write(bytes: Uint8Array): void {
  startTransient()
  pushEncoded(bytes)
}

const hex = (list: readonly Uint8Array[]) => list.map(bytesToHex)

describe('batched hashes', () => {
  it('agree with another implementation for every batch size', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(255), length), { maxLength: 300 }), (list) => {
        const messages = list.map(([fill, size]) => message(fill, size))
        const digests = new Uint8Array(32 * list.length + 3)
        for (const [index, bytes] of messages.entries()) {
          write(bytes)
          queueHash(digests, 3 + 32 * index)
        }
        flushHashes()
        const found = messages.map((_, index) => digests.subarray(3 + 32 * index, 35 + 32 * index))
        expect(hex(found)).toEqual(hex(messages.map((bytes) => keccak_256(bytes))))
        expect([...digests.subarray(0, 3)]).toEqual([0, 0, 0])
      }),
      { numRuns: 60 },
    )
  })

  it('are not disturbed by encoding and hashing while they are queued', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { minLength: 1, maxLength: 20 }), length, (sizes, size) => {
        const target = new Uint8Array(32 * sizes.length)
        const others = sizes.map((one, index) => {
          write(message(index, one))
          queueHash(target, 32 * index)
          const item = message(index + 1, size)
          const transient = transientRlp([item, size], undefined).slice()
          return [bytesToHex(transient), keccakHash(item), bytesToHex(encodeRlp([item, size]))]
        })
        flushHashes()
        for (const [index, one] of sizes.entries()) {
          expect(bytesToHex(target.subarray(32 * index, 32 * index + 32))).toBe(
            bytesToHex(keccak_256(message(index, one))),
          )
          const item = message(index + 1, size)
          const encoded = bytesToHex(encodeRlp([item, size]))
          const digest = bytesToHex(keccak_256(item))
          expect(others[index]).toEqual([encoded, digest, encoded])
        }
      }),
    )
  })
})
