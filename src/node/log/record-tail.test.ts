import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecordTail } from './record-tail.ts'

const record = (sequence: number, bytes: number) => ({ sequence, payload: new Uint8Array(bytes) })

test('returns the newest records, at least one, and none that it has evicted', () => {
  const tail = new RecordTail({ maxBytes: 10 })
  expect(tail.read(1, 1, 100)).toBeUndefined()
  for (const [index, bytes] of [4, 4, 2, 3].entries()) tail.add(record(7 + index, bytes))
  expect(tail.read(7, 10, 100)).toBeUndefined()
  expect(tail.read(8, 10, 100)?.map(({ sequence }) => sequence)).toEqual([8, 9, 10])
  // Records that are not durable yet are never requested.
  expect(tail.read(8, 9, 100)?.map(({ sequence }) => sequence)).toEqual([8, 9])
  expect(tail.read(8, 10, 1)?.map(({ sequence }) => sequence)).toEqual([8])
  tail.add(record(11, 1_000))
  expect(tail.read(10, 11, 100)).toBeUndefined()
  expect(tail.read(11, 11, 1)?.map(({ sequence }) => sequence)).toEqual([11])
  tail.clear()
  expect(tail.read(11, 11, 1)).toBeUndefined()
})

test('property: returns consecutive records and holds at most maxBytes except for the newest', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { minLength: 1 }), fc.nat(60), fc.nat(100), (sizes, from, maxBytes) => {
      const tail = new RecordTail({ maxBytes: 60 })
      for (const [index, bytes] of sizes.entries()) tail.add(record(index + 1, bytes))
      const all = tail.read(sizes.length, sizes.length, 1)
      expect(all?.map(({ sequence }) => sequence)).toEqual([sizes.length])
      const found = tail.read(from, sizes.length, maxBytes)
      if (found === undefined) {
        const held = sizes.slice(from - 1).reduce((sum, bytes) => sum + bytes, 0)
        expect(from === 0 || held > 60).toBe(true)
        return
      }
      expect(found.map(({ sequence }) => sequence)).toEqual(found.map((_, index) => from + index))
      expect(found.map(({ payload }) => payload.length)).toEqual(sizes.slice(from - 1, from - 1 + found.length))
    }),
  )
})

test('replaces discarded records by new ones with the same sequence numbers', () => {
  const tail = new RecordTail({ maxBytes: 100 })
  for (let sequence = 1; sequence <= 5; sequence++) tail.add(record(sequence, 10))
  tail.discardAfter(3)
  tail.add(record(4, 7))
  expect(tail.read(2, 9, 100)?.map(({ payload }) => payload.length)).toEqual([10, 10, 7])
  tail.discardAfter(0)
  expect(tail.read(1, 9, 100)).toBeUndefined()
})
