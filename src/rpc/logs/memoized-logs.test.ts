import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LogMatch } from '../../chain/receipt/log-query.ts'
import { type Address, bytesToHex, type Hash } from '../../primitives/hex.ts'
import { formatLog } from '../format/log.ts'
import { logJson } from '../format/log-json.ts'
import { MemoizedLogs } from './memoized-logs.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex)
const hashes = bytes(32) as fc.Arbitrary<Hash>
const logs: fc.Arbitrary<LogMatch> = fc.record({
  log: fc.record({
    address: bytes(20) as fc.Arbitrary<Address>,
    topics: fc.array(hashes, { maxLength: 4 }),
    data: fc.uint8Array({ maxLength: 100 }),
  }),
  blockNumber: fc.maxSafeNat(),
  blockHash: hashes,
  blockTimestamp: fc.bigInt(0n, 2n ** 64n - 1n),
  transactionHash: hashes,
  transactionIndex: fc.nat(),
  logIndex: fc.nat({ max: 40 }),
})
const slowly = (found: LogMatch) => JSON.stringify(formatLog(found))

it('property: encodes a log like JSON.stringify, byte for byte', () => {
  fc.assert(
    fc.property(logs, (found) => {
      expect(logJson(found)).toBe(slowly(found))
    }),
  )
})

it('property: returns the encoding of each log, in any order and repeatedly', () => {
  const chains = fc.array(logs, { minLength: 1, maxLength: 4 }).chain((blocks) => {
    // The logs of a block share a key; the position distinguishes them.
    const all = blocks.flatMap((block, number) =>
      [0, 1, 2].map((logIndex) => ({
        ...block,
        blockHash: `${block.blockHash.slice(0, -1)}${number}` as Hash,
        logIndex,
      })),
    )
    return fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 30 })
  })
  fc.assert(
    fc.property(chains, fc.constantFrom(0, 2_000, 100_000), (requested, maxBytes) => {
      const memoized = new MemoizedLogs({ maxBytes })
      for (const found of requested) expect(memoized.text(found)).toBe(slowly(found))
    }),
  )
})

it('stays within maxBytes', () => {
  const [example] = fc.sample(logs, 1)
  const kept = new MemoizedLogs({ maxBytes: 10_000 })
  let written = 0
  const data = new Uint8Array(4_000)
  const log = (index: number): LogMatch => ({
    ...example!,
    blockHash: `0x${index.toString(16).padStart(64, '0')}` as Hash,
    log: {
      ...example!.log,
      get data() {
        written += 1
        return data
      },
    },
  })
  const [first, second] = [log(1), log(2)]
  kept.text(first)
  kept.text(first)
  expect(written).toBe(1)
  kept.text(second)
  kept.text(first)
  expect(written).toBe(3)
})
