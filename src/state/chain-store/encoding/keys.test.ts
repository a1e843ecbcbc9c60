import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockKey, heightIn, historyHeightIn, historyKey, startsWith, withPrefix } from './keys.ts'

const heights = fc.oneof(fc.nat(300), fc.integer({ min: 2 ** 32 - 2, max: 2 ** 32 + 2 }), fc.maxSafeNat())
const items = fc.uint8Array({ minLength: 1, maxLength: 3 })

describe('keys', () => {
  it('sort as block numbers do, and contain them', () => {
    fc.assert(
      fc.property(heights, heights, (a, b) => {
        expect(Math.sign(Buffer.compare(blockKey(a), blockKey(b)))).toBe(Math.sign(a - b))
        expect(heightIn(blockKey(a))).toBe(a)
      }),
    )
  })

  it('of history sort by item, then newest first', () => {
    fc.assert(
      fc.property(items, heights, heights, (item, a, b) => {
        expect(Math.sign(Buffer.compare(historyKey(item, a), historyKey(item, b)))).toBe(Math.sign(b - a))
        expect(startsWith(historyKey(item, a), item)).toBe(true)
        expect(historyHeightIn(historyKey(item, a))).toBe(a)
      }),
    )
  })

  it('with a prefix are exactly those in its range', () => {
    fc.assert(
      fc.property(items, fc.uint8Array({ maxLength: 4 }), (prefix, key) => {
        const { from, to } = withPrefix(Buffer.from(prefix))
        const isInRange = Buffer.compare(key, from) >= 0 && (to === undefined || Buffer.compare(key, to) < 0)
        expect(isInRange).toBe(startsWith(key, prefix))
      }),
      { examples: [[Uint8Array.of(0xff), Uint8Array.of(0xff, 0xff)]] },
    )
  })
})
