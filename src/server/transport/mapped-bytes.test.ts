import { expect, test } from 'vitest'
import { MappedBytes, MappedCopies } from './mapped-bytes.ts'

test('collected bytes are the text of their parts, whatever their sizes, until they are released', () => {
  const maxBytes = 1_000_003
  const bytes = new MappedBytes(maxBytes)
  const expected = 'ü€'.repeat(maxBytes).slice(0, 300_000)
  const all = Buffer.from(expected)
  for (let at = 0, size = 1; at < all.length; at += size, size = (size * 7) % 65_537) {
    bytes.add(all.subarray(at, at + size))
  }

  expect(bytes.text()).toBe(expected)
  expect(() => bytes.add(Buffer.alloc(maxBytes))).toThrow(RangeError)
  bytes.release()
  expect(bytes.text()).toBe('')
})

test('copies do not change with their source or with later copies', () => {
  const copies = new MappedCopies()
  const source = Buffer.alloc(100_000)

  const made = Array.from({ length: 6 }, (_, index) => {
    source.fill(index + 1)
    const copy = copies.copy(source)
    if (index === 3) copies.forgetBlock()
    return copy
  })
  source.fill(0)

  expect(made.map((copy) => copy.equals(Buffer.alloc(100_000, copy[0])) && copy[0])).toEqual([1, 2, 3, 4, 5, 6])
  // Two of them fit into a block.
  expect(new Set(made.map((copy) => copy.buffer)).size).toBe(3)
})
