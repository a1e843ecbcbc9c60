import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAXIMUM_KEY_BYTES, WriteBatch, type WriteOperation } from './write-batch.ts'

function operationsOf(batch: WriteBatch): WriteOperation[] {
  const told: WriteOperation[] = []
  const sealed = batch.seal()
  sealed.forEach((table, key, value) => {
    told.push({ table, key: new Uint8Array(key), value: value && new Uint8Array(value) })
  })
  return told
}

test('property: returns the operations in order, even if small keys and values change later', () => {
  const length = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(4_095, 4_096, 4_097, 70_000))
  const operation = fc.record({
    table: fc.constantFrom('headers', 'bodies', 'logs'),
    key: fc.integer({ min: 1, max: MAXIMUM_KEY_BYTES }).map((size) => new Uint8Array(size).fill(size & 0xff)),
    value: fc.option(
      length.map((size) => new Uint8Array(size).fill((size + 1) & 0xff)),
      { nil: undefined },
    ),
  })
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 100 }), (operations) => {
      const batch = new WriteBatch()
      const given = structuredClone(operations)
      for (const { table, key, value } of given) {
        batch.add({ table, key, value })
        key.fill(0)
        if (value !== undefined && value.length <= 4_096) value.fill(0)
      }
      expect(batch.size).toBe(operations.length)
      expect(operationsOf(batch)).toEqual(operations)
    }),
  )
})

test('returns operations that fill several chunks', () => {
  const batch = new WriteBatch()
  const keys = Array.from({ length: 2_000 }, (_, index) => Uint8Array.of(index >> 8, index & 0xff))
  for (const key of keys) batch.put('headers', key, new Uint8Array(100).fill(key[1]!))
  const told = operationsOf(batch)
  expect(told.map(({ key }) => key)).toEqual(keys)
  expect(told.every(({ key, value }) => value?.length === 100 && value[99] === key[1])).toBe(true)
})
