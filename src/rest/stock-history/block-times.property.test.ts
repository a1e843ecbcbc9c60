import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SourceBlock } from '../tokenized-stocks/chain-source.ts'
import { newestBlockAt } from './block-times.ts'

const GAPS = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 60 })

/** Blocks of which only number and time are read. */
function chainOf(gaps: readonly number[]): readonly SourceBlock[] {
  let timestamp = 0n
  return gaps.map((gap, number) => {
    timestamp += BigInt(gap)
    return { number, timestamp } as SourceBlock
  })
}

test('finds the newest block at or before a time, from any earlier block, with few looks', async () => {
  await fc.assert(
    fc.asyncProperty(GAPS, fc.nat({ max: 60 }), fc.nat({ max: 200 }), async (gaps, startNumber, time) => {
      const chain = chainOf(gaps)
      const start = chain[startNumber % chain.length]!
      const seconds = start.timestamp + BigInt(time)
      let looks = 0
      const at = async (number: number) => {
        looks += 1
        return chain[number]!
      }

      const found = await newestBlockAt(seconds, { start, end: chain.at(-1)! }, { at })

      expect(found.number).toBe(chain.findLastIndex(({ timestamp }) => timestamp <= seconds))
      expect(looks).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(found.number - start.number + 2)) + 2)
    }),
  )
})
