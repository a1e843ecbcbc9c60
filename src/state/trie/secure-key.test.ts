import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import { secureKey } from './secure-key.ts'

describe('secureKey', () => {
  it('is the hash of the name, also after more names than the cache holds', () => {
    const names = Array.from({ length: 70_000 }, (_, index) => bigintToSlot(BigInt(index)))
    for (const name of names) secureKey(name)
    for (const name of [names[0]!, names[35_000]!, names[69_999]!]) {
      expect(`0x${secureKey(name)}`).toBe(keccakHash(hexToBytes(name)))
    }
  })
})
