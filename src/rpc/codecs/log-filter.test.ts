import fc from 'fast-check'
import { expect, test } from 'vitest'
import { logMatcher } from '../../chain/receipt/log-query.ts'
import { EMPTY_BYTES, type Hash, toAddress } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { queryInDialect } from './log-filter.ts'

const topics = fc.constantFrom<Hash>(...[1n, 2n, 3n].map(bigintToHash))
const positions = fc.array(fc.array(topics, { maxLength: 2 }), { maxLength: 4 })
const address = toAddress(`0x${'11'.repeat(20)}`)

test('property: in dialect base a null position matches any topic or none; in ethereum it requires a topic', () => {
  fc.assert(
    fc.property(positions, fc.array(topics, { maxLength: 4 }), (wanted, topicsOfLog) => {
      const query = { addresses: [], topics: wanted }
      const log = { address, topics: topicsOfLog, data: EMPTY_BYTES }
      const isMet = wanted.every((any, position) => any.length === 0 || any.includes(topicsOfLog[position]!))

      expect(logMatcher(queryInDialect(query, 'base'))(log)).toBe(isMet)
      expect(logMatcher(queryInDialect(query, 'ethereum'))(log)).toBe(isMet && topicsOfLog.length >= wanted.length)
    }),
  )
})
