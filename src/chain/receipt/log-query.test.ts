import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address, Hash } from '../../primitives/hex.ts'
import { bloomOf } from './bloom.ts'
import type { Log } from './log.ts'
import { criteriaCount, type LogQuery, matchesLog, mayMatchIn } from './log-query.ts'

const address = fc.integer({ min: 0, max: 3 }).map((value) => `0x${value.toString().padStart(40, '0')}` as Address)
const topic = fc.integer({ min: 0, max: 3 }).map((value) => `0x${value.toString().padStart(64, '0')}` as Hash)
const log: fc.Arbitrary<Log> = fc.record({
  address,
  topics: fc.array(topic, { maxLength: 4 }),
  data: fc.constant(new Uint8Array(0)),
})
const query: fc.Arbitrary<LogQuery> = fc.record({
  addresses: fc.array(address, { maxLength: 3 }),
  topics: fc.array(fc.array(topic, { maxLength: 3 }), { maxLength: 4 }),
})

test('matches as the lists say, and no bloom that holds the log excludes it', () => {
  fc.assert(
    fc.property(query, log, fc.array(log), (wanted, one, others) => {
      const expected =
        (wanted.addresses.length === 0 || wanted.addresses.includes(one.address)) &&
        wanted.topics.every(
          (values, position) =>
            position < one.topics.length && (values.length === 0 || values.includes(one.topics[position]!)),
        )
      expect(matchesLog(wanted, one)).toBe(expected)
      if (expected) expect(mayMatchIn(wanted, bloomOf([...others, one]))).toBe(true)
    }),
  )
})

test('finds nothing in an empty bloom', () => {
  const named: LogQuery = { addresses: [], topics: [[], [`0x${'1'.repeat(64)}` as Hash]] }
  expect(mayMatchIn(named, bloomOf([]))).toBe(false)
  expect(mayMatchIn({ addresses: [], topics: [[]] }, bloomOf([]))).toBe(true)
})

test('costs the same for one address and for a thousand', () => {
  const many: Address[] = Array.from(
    { length: 1_000 },
    (_, value) => `0x${value.toString().padStart(40, '0')}` as Address,
  )
  let looked = 0
  const counted = new Proxy(many, {
    get(target, name, receiver) {
      looked += 1
      return Reflect.get(target, name, receiver)
    },
  })
  const wanted: LogQuery = { addresses: counted, topics: [] }
  const found: Log = { address: many.at(-1)!, topics: [], data: new Uint8Array(0) }
  expect(matchesLog(wanted, found)).toBe(true)
  const once = looked
  for (let count = 0; count < 100; count++) matchesLog(wanted, found)
  expect(looked).toBe(once)
  expect(criteriaCount(wanted)).toBe(1_000)
})
