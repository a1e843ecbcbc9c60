import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address, Hash } from '../../primitives/hex.ts'
import { logJson, minLogLength } from './log-json.ts'

const HASH = `0x${'ab'.repeat(32)}` as Hash
const ADDRESS = `0x${'cd'.repeat(20)}` as Address

test('property: the minimum length of a log differs from its length only by the digits of its position', () => {
  const topics = fc.array(fc.constant(HASH), { maxLength: 4 })
  const place = fc.nat(0xfffff)
  fc.assert(
    fc.property(topics, fc.uint8Array(), fc.tuple(place, place, place, place), (topics, data, numbers) => {
      const log = { address: ADDRESS, topics, data }
      const [blockNumber, blockTimestamp, transactionIndex, logIndex] = numbers
      const hashes = { blockHash: HASH, transactionHash: HASH }
      const found = { log, ...hashes, blockNumber, blockTimestamp: BigInt(blockTimestamp), transactionIndex, logIndex }
      const digits = numbers.reduce((sum, number) => sum + number.toString(16).length - 1, 0)
      const missing = logJson(found).length - minLogLength(log) - digits
      // The JSON around the topics is one character shorter than that without topics.
      expect(missing).toBe(topics.length === 0 ? 1 : 0)
    }),
  )
})
