import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isHoley } from '../../test/support/natives.ts'
import { mapPacked } from './map-packed.ts'

test('returns the same as map', () => {
  const value = (item: number, index: number) => `${item} at ${index}`
  fc.assert(
    fc.property(fc.array(fc.integer()), (items) => {
      expect(mapPacked(items, value)).toEqual(items.map(value))
    }),
  )
})

test('returns packed arrays before and after V8 optimises the caller', () => {
  const made = (items: readonly number[]) => mapPacked(items, (item) => ({ item }))
  const items = [1, 2, 3]
  expect(isHoley(made(items))).toBe(false)
  for (let count = 0; count < 100_000; count++) made(items)
  expect(isHoley(made(items))).toBe(false)
})
