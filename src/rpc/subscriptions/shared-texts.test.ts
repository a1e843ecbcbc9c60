import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NotificationText } from './shared-text.ts'
import { groupBySize } from './shared-texts.ts'

const sizes = fc.array(fc.oneof(fc.nat(300), fc.integer({ min: 4_000, max: 20_000 })), { maxLength: 200 })

test('property: groups keep the order and the size limit, and a large text is a group of its own', () => {
  fc.assert(
    fc.property(sizes, (lengths) => {
      const texts = lengths.map((length) => new NotificationText('x'.repeat(length)))
      const groups = groupBySize(texts)
      expect(groups.flatMap((group) => group.texts)).toEqual(texts)
      for (const { texts: together, size, large } of groups) {
        expect(size).toBe(together.reduce((sum, text) => sum + text.size, 0))
        if (large !== undefined) expect(together).toEqual([large])
        else expect(size).toBeLessThan(15 * 1024)
      }
    }),
  )
})

test('hashes of a typical flashblock form one group, those of a full one several', () => {
  const hashes = (count: number) => Array.from({ length: count }, () => new NotificationText(`"0x${'ab'.repeat(32)}"`))
  expect(groupBySize(hashes(20))).toHaveLength(1)
  expect(groupBySize(hashes(1_000)).length).toBeGreaterThan(1)
  expect(groupBySize([])).toEqual([])
})
