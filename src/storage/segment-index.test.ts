import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SegmentIndex } from './segment-index.ts'

const segment = { path: 'a', first: 10 }

test('returns an indexed offset at or before the record and close to it', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 16, max: 200_000 }), { minLength: 1 }), fc.nat(), (sizes, at) => {
      const positions = new SegmentIndex()
      const offsets = [0]
      for (const size of sizes) offsets.push(offsets.at(-1)! + size)
      for (const [index, offset] of offsets.entries()) positions.note(segment, { sequence: 10 + index, offset })
      // A new reader indexes the same records again.
      for (const [index, offset] of offsets.entries()) positions.note(segment, { sequence: 10 + index, offset })
      const index = at % offsets.length
      const found = positions.before(segment, 10 + index)
      expect(found.sequence).toBeLessThanOrEqual(10 + index)
      expect(found.offset).toBe(offsets[found.sequence - 10])
      expect(offsets[index]! - found.offset).toBeLessThan(64 * 1024 + 200_000)
    }),
  )
})

test('returns the start of an unknown or deleted file', () => {
  const positions = new SegmentIndex()
  positions.note(segment, { sequence: 10, offset: 0 })
  positions.note(segment, { sequence: 90, offset: 1_000_000 })
  expect(positions.before(segment, 95)).toEqual({ sequence: 90, offset: 1_000_000 })
  positions.forget(segment)
  expect(positions.before(segment, 95)).toEqual({ sequence: 10, offset: 0 })
  expect(positions.before({ path: 'b', first: 96 }, 97)).toEqual({ sequence: 96, offset: 0 })
})
