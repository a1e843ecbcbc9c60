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

  it("equals the length by the protocol's definition", () => {
    const run = fc.tuple(fc.constantFrom(0, 1, 2, 255), fc.integer({ min: 1, max: 600 }))
    const runs = fc
      .array(run, { maxLength: 12 })
      .map((list) => Uint8Array.from(list.flatMap(([byte, count]) => new Array<number>(count).fill(byte))))
    const mixed = fc.array(fc.constantFrom(0, 1, 2, 255), { maxLength: 600 }).map((list) => Uint8Array.from(list))
    fc.assert(
      fc.property(fc.oneof(runs, mixed, fc.uint8Array({ maxLength: 400 })), (data) => {
        expect(fastLzLength(data)).toBe(definedLength(data))
      }),
    )
  })

  it.each([8_190, 8_191, 8_192, 8_193])(
    'matches within a window of 8,191 bytes, not at a distance of %i',
    (distance) => {
      const data = new Uint8Array(distance + 60)
      for (const start of [2, 2 + distance]) {
        for (let index = 0; index < 20; index++) data[start + index] = 101 + index * 7
      }
      // A jump to the second copy: the zeros between are one match, which records few positions.
      expect(fastLzLength(data)).toBe(definedLength(data))
    },
  )

  it('ends matches 14 bytes before the end, as the definition does', () => {
    for (let length = 20; length < 60; length++) {
      const data = Uint8Array.from({ length }, (_, index) => 100 + index)
      // The first three bytes that occurred before begin at the last position that may match, or behind it.
      for (const start of [length - 15, length - 14, length - 13]) {
        const repeated = Uint8Array.from(data)
        repeated.copyWithin(start, 2, 5)
        expect(fastLzLength(repeated), `${length}, ${start}`).toBe(definedLength(repeated))
      }
    }
  })

  it('does not match beyond the window', () => {
    const block = Uint8Array.from({ length: 64 }, (_, index) => (index * 37 + 11) & 0xff)
    const near = Buffer.concat([block, Buffer.alloc(8_000), block, Buffer.alloc(20, 1)])
    const far = Buffer.concat([block, Buffer.alloc(8_400), block, Buffer.alloc(20, 1)])
    expect(fastLzLength(far) - fastLzLength(near)).toBeGreaterThan(40)
  })
})

/** `FlzCompressLen` of op-geth (core/types/rollup_cost.go), which the specs of Fjord refer to, in its own steps. */
function definedLength(data: Uint8Array): number {
  const table = new Uint32Array(8_192)
  const limit = data.length < 13 ? 0 : data.length - 13
  let length = 0
  const triple = (at: number) => data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16)
  const slotOf = (value: number) => (Math.imul(2_654_435_769, value) >>> 19) & 0x1fff
  const literals = (count: number) => {
    length += 0x21 * Math.floor(count / 0x20)
    if (count % 0x20 !== 0) length += (count % 0x20) + 1
  }
  const next = (at: number) => {
    table[slotOf(triple(at))] = at
    return at + 1
  }
  let anchor = 0
  for (let at = 2; at < limit; ) {
    let reference: number
    while (true) {
      const value = triple(at)
      reference = table[slotOf(value)]!
      table[slotOf(value)] = at
      const distance = at - reference
      if (at >= limit) break
      at++
      if (distance <= 0x1fff && value === triple(reference)) break
    }
    if (at >= limit) break
    at--
    if (at > anchor) literals(at - anchor)
    let same = 0
    let end = limit + 9 - (at + 3)
    for (; same < end; same++) if (data[reference + 3 + same] !== data[at + 3 + same]) end = 0
    const rest = same - 1
    length += 3 * Math.floor(rest / 262) + (rest % 262 >= 6 ? 3 : 2)
    at = next(next(at + same))
    anchor = at
  }
  literals(data.length - anchor)
  return length
}

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
