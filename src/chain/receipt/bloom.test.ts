import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesToAddress, bytesToHash, bytesToHex, toAddress } from '../../primitives/hex.ts'
import { addToBlooms, bloomBits, bloomIncludes, bloomOf, bloomUnion } from './bloom.ts'
import type { Log } from './log.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const ADDRESS = toAddress('0x095e7baea6a6c7c4c2dfeb977efac326af552d87')
const log: fc.Arbitrary<Log> = fc.record({
  address: bytes(20).map(bytesToAddress),
  topics: fc.array(bytes(32).map(bytesToHash), { maxLength: 4 }),
  data: fc.uint8Array(),
})

it('sets at most three bits for an address', () => {
  const bloom = bloomOf([{ address: ADDRESS, topics: [], data: new Uint8Array(0) }])
  expect(bloom).toHaveLength(256)
  const bits = bloom.reduce((count, byte) => count + byte.toString(2).replaceAll('0', '').length, 0)
  expect(bits).toBe(3)
})

it('contains every address and topic, and a union contains both sides', () => {
  fc.assert(
    fc.property(fc.array(log, { maxLength: 4 }), fc.array(log, { maxLength: 4 }), (left, right) => {
      const union = bloomUnion([bloomOf(left), bloomOf(right)])
      expect(bytesToHex(union)).toBe(bytesToHex(bloomOf([...left, ...right])))
      for (const { address, topics } of [...left, ...right]) {
        for (const value of [address, ...topics]) expect(bloomIncludes(union, bloomBits(value))).toBe(true)
      }
    }),
  )
})

it('updates the blooms of a receipt and its block together', () => {
  fc.assert(
    fc.property(fc.array(log, { maxLength: 4 }), fc.array(log, { maxLength: 4 }), (before, logs) => {
      const receipt = bloomOf([])
      const block = bloomOf(before)
      addToBlooms(logs, receipt, block)
      expect(bytesToHex(receipt)).toBe(bytesToHex(bloomOf(logs)))
      expect(bytesToHex(block)).toBe(bytesToHex(bloomUnion([bloomOf(before), bloomOf(logs)])))
    }),
  )
})

it('rarely reports an address that it does not contain', () => {
  const bloom = bloomOf([{ address: bytesToAddress(new Uint8Array(20).fill(1)), topics: [], data: new Uint8Array(0) }])
  const others = Array.from({ length: 200 }, (_, index) => bytesToAddress(new Uint8Array(20).fill(index + 2)))
  expect(others.filter((address) => bloomIncludes(bloom, bloomBits(address))).length).toBeLessThan(3)
  expect(bloomIncludes(bloomOf([]), bloomBits(others[0]!))).toBe(false)
})
