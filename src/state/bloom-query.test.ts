import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bloomMayContain, bloomOf } from '../chain/bloom.ts'
import { bytesToAddress, bytesToHash } from '../primitives/hex.ts'
import { bloomTest } from './bloom-query.ts'

const addresses = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(bytesToAddress)
const topics = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHash)
const logs = fc.record({
  address: addresses,
  topics: fc.array(topics, { maxLength: 4 }),
  data: fc.constant(new Uint8Array(0)),
})

describe('bloomTest', () => {
  it('allows for what the filter may contain: one of each criterion', () => {
    fc.assert(
      fc.property(fc.array(logs, { maxLength: 5 }), addresses, topics, (all, address, topic) => {
        const bloom = bloomOf(all)
        const [first] = all
        const wanted = first === undefined ? [address] : [address, first.address]
        const mayHaveAddress = wanted.some((one) => bloomMayContain(bloom, one))
        expect(bloomTest({ addresses: wanted, topics: [] })(bloom)).toBe(mayHaveAddress)
        expect(bloomTest({ addresses: wanted, topics: [[], [topic]] })(bloom)).toBe(
          mayHaveAddress && bloomMayContain(bloom, topic),
        )
      }),
    )
  })

  it('rules out every criterion in an empty filter, and nothing without a criterion', () => {
    const empty = new Uint8Array(256)
    expect(bloomTest({ addresses: [], topics: [[]] })(empty)).toBe(true)
    expect(bloomTest({ addresses: [bytesToAddress(new Uint8Array(20))], topics: [] })(empty)).toBe(false)
  })
})
