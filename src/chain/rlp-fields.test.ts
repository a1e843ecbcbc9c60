import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigintToBytes, MAX_UINT64, MAX_UINT256 } from '../primitives/quantity.ts'
import { RlpError } from '../primitives/rlp.ts'
import { readNumber, readUint64, readUint256 } from './rlp-fields.ts'

test('round-trips integers of every length', () => {
  fc.assert(
    fc.property(fc.nat(256), fc.bigInt(0n, MAX_UINT256), (bits, word) => {
      const value = BigInt.asUintN(bits, word)
      const bytes = bigintToBytes(value)
      expect(readUint256(bytes, 'value')).toBe(value)
      if (value <= MAX_UINT64) expect(readUint64(bytes, 'value')).toBe(value)
      else expect(() => readUint64(bytes, 'value')).toThrow(RlpError)
      if (value <= BigInt(Number.MAX_SAFE_INTEGER)) expect(readNumber(bytes, 'value')).toBe(Number(value))
      else expect(() => readNumber(bytes, 'value')).toThrow(RlpError)
    }),
  )
})

test('rejects leading zeros at every length', () => {
  for (const length of [1, 2, 6, 7, 8]) {
    const bytes = new Uint8Array(length).fill(1)
    bytes[0] = 0
    for (const read of [readUint256, readUint64, readNumber]) expect(() => read(bytes, 'value')).toThrow(RlpError)
  }
})
