import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../primitives/hex.ts'
import { dataFootprint, estimatedSizeScaled, fastLzLength, scaledSizeOf } from './data-footprint.ts'

describe('fastLzLength', () => {
  it.each([
    ['nothing', new Uint8Array(0), 0],
    ['1000 zero bytes', new Uint8Array(1_000), 21],
    ['1000 equal bytes', new Uint8Array(1_000).fill(0x2a), 21],
    ['3 bytes', hexToBytes('0xfacade'), 4],
    ['32 different bytes', Uint8Array.from({ length: 32 }, (_, index) => index), 33],
    ['33 different bytes', Uint8Array.from({ length: 33 }, (_, index) => index), 35],
  ])('of %s', (_, data, expected) => {
    expect(fastLzLength(data)).toBe(expected)
  })

  it('is the length of a reversible compression', () => {
    // Compressed data consists of literals and matches: at least 3 bytes per 264 bytes of input.
    const repetitive = fc
      .array(fc.constantFrom(0, 1, 2, 255), { maxLength: 3_000 })
      .map((list) => Uint8Array.from(list))
    fc.assert(
      fc.property(fc.oneof(repetitive, fc.uint8Array({ maxLength: 3_000 })), (data) => {
        const length = fastLzLength(data)
        expect(length).toBeLessThanOrEqual(data.length + Math.ceil(data.length / 32))
        expect(length).toBeGreaterThanOrEqual(Math.floor((3 * data.length) / 265))
      }),
    )
  })

  it('does not match beyond the window', () => {
    const block = Uint8Array.from({ length: 64 }, (_, index) => (index * 37 + 11) & 0xff)
    const near = Buffer.concat([block, Buffer.alloc(8_000), block, Buffer.alloc(20, 1)])
    const far = Buffer.concat([block, Buffer.alloc(8_400), block, Buffer.alloc(20, 1)])
    expect(fastLzLength(far) - fastLzLength(near)).toBeGreaterThan(40)
  })
})

describe('dataFootprint', () => {
  it('counts at least 100 bytes', () => {
    expect(estimatedSizeScaled(new Uint8Array(10))).toBe(100_000_000)
    expect(dataFootprint(new Uint8Array(10), 400)).toBe(40_000)
  })

  it('follows the regression beyond', () => {
    const data = Uint8Array.from({ length: 320 }, (_, index) => (index * index * 7 + index) & 0xff)
    const flz = fastLzLength(data)
    expect(flz).toBeGreaterThan(171)
    expect(dataFootprint(data, 3)).toBe(Math.floor((836_500 * flz - 42_585_600) / 1_000_000) * 3)
  })

  it('of a transaction that FastLZ compresses to 202 bytes is that of 126 bytes', () => {
    expect(Math.floor(scaledSizeOf(202) / 1_000_000) * 148).toBe(18_648)
    expect(Math.floor(scaledSizeOf(0) / 1_000_000) * 148).toBe(14_800)
  })

  it('lets a block of 40,000,000 gas carry 270,270 estimated bytes, or 2,702 transactions of the minimum size', () => {
    const gasLimit = 40_000_000
    expect(Math.floor(gasLimit / 148)).toBe(270_270)
    expect(Math.floor(gasLimit / dataFootprint(new Uint8Array(10), 148))).toBe(2_702)
  })

  it('is zero when the scalar is zero', () => {
    expect(dataFootprint(new Uint8Array(1_000), 0)).toBe(0)
  })
})
