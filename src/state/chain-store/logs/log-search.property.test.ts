import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CountingStore } from '../../../../test/support/counting-store.ts'
import { propertyRuns } from '../../../../test/support/runs.ts'
import { NO_TRIE_NODES, reading, type TemporaryChain, withChain } from '../../../../test/support/sealed-chain.ts'
import { testRandom } from '../../../../test/support/test-seed.ts'
import { logsOfBlock } from '../../../chain/receipt/block-logs.ts'
import type { Log } from '../../../chain/receipt/log.ts'
import type { LogMatch, LogQuery } from '../../../chain/receipt/log-query.ts'
import { type Address, EMPTY_BYTES, type Hash, toAddress } from '../../../primitives/hex.ts'
import { bigintToHash } from '../../../primitives/quantity.ts'
import type { Snapshot } from '../../snapshot.ts'
import type { StateDiff } from '../../state-diff.ts'
import { ChainStore } from '../chain-store.ts'

const address = (n: number) => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const addresses = fc.constantFrom<Address>(...[10, 11, 12].map(address))
const topics = fc.constantFrom<Hash>(...[1n, 2n, 3n].map(bigintToHash))
const logs: fc.Arbitrary<Log> = fc.record({
  address: addresses,
  topics: fc.array(topics, { maxLength: 4 }),
  data: fc.uint8Array({ maxLength: 4 }),
})
const queries: fc.Arbitrary<LogQuery> = fc.record({
  addresses: fc.array(addresses, { maxLength: 3 }),
  topics: fc.array(fc.array(topics, { maxLength: 3 }), { maxLength: 4 }),
})
const blocks = fc.array(fc.array(fc.array(logs, { maxLength: 6 }), { maxLength: 4 }), { minLength: 1, maxLength: 8 })
const searches = fc.array(fc.tuple(queries, fc.integer({ min: -1, max: 9 }), fc.integer({ min: -1, max: 9 })), {
  minLength: 10,
  maxLength: 10,
})

describe('logs of a ChainStore', () => {
  it('are those that a full scan finds, in chain order', async () => {
    await fc.assert(
      fc.asyncProperty(blocks, searches, (all, wanted) =>
        withChain(async (temporary) => {
          for (const ofBlock of all) await temporary.append({ logs: ofBlock })
          for (const [query, from, to] of wanted) {
            const { found, everyMatch } = search(temporary.chain, query, from, to)
            expect(found.map(plain)).toEqual(everyMatch.map(plain))
          }
        }),
      ),
      { numRuns: propertyRuns(60) },
    )
  })

  it('are found in long chains too, whether criteria meet rarely, often or in turns, cached or not', async () => {
    const [A, B] = [address(10), address(11)]
    const [even, third] = [bigintToHash(2n), bigintToHash(3n)]
    const log = (from: Address, ...ofLog: Hash[]): Log => ({ address: from, topics: ofLog, data: EMPTY_BYTES })
    const random = testRandom(7)
    await withChain(
      async (temporary) => {
        for (let number = 0; number < 200; number++) {
          const few = number % 2 === 0 ? [log(A, even)] : [log(B, third), log(B)]
          const both = number % 37 === 5 ? [log(A, third), log(B, even, third)] : []
          // More than are checked directly.
          const many = number % 50 === 10 ? Array.from({ length: 30 }, (_, i) => log(i % 5 === 0 ? A : B, even)) : []
          await temporary.append({ logs: [few, both, many] })
        }
        const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!
        for (let run = 0; run < 60; run++) {
          const query: LogQuery = {
            addresses: pick([[], [A], [B], [A, B], [address(99)]]),
            topics: pick([[], [[even]], [[third]], [[], [third]], [[even, third]], [[even], []], [[RARE]]]),
          }
          const from = Math.floor(random() * 200)
          const { found, everyMatch } = search(temporary.chain, query, pick([0, from]), pick([199, from + 40]))
          expect(found.map(plain)).toEqual(everyMatch.map(plain))
        }
      },
      { history: 'all', cacheBytes: 30_000 },
    )
  })

  it('follow a reorg, while an older snapshot still sees the replaced blocks', () =>
    withChain(async (temporary) => {
      const query = { addresses: [TOKEN], topics: [] }
      const emitted = (mark: number): Log => ({ address: TOKEN, topics: [], data: Uint8Array.of(mark) })
      const marks = (snapshot: Snapshot) => [...snapshot.logs(query, 0, 99)].map(({ log }) => log.data[0])
      for (let number = 0; number < 70; number++) await temporary.append({ logs: [[emitted(number)]] })
      const before = Array.from({ length: 70 }, (_, number) => number)
      const old = temporary.chain.snapshot()
      expect(marks(old)).toEqual(before)
      await temporary.chain.unwind(60, NO_TRIE_NODES)
      for (let number = 61; number < 70; number++) await temporary.append({ logs: [[emitted(number + 100)]], salt: 1 })
      const after = before.map((number) => (number > 60 ? number + 100 : number))
      reading(temporary.chain, (snapshot) => {
        expect(marks(snapshot)).toEqual(after)
        expect(marks(old)).toEqual(before)
        expect(marks(snapshot)).toEqual(after)
        const hashes = [...snapshot.logs(query, 58, 69)].map(({ blockHash }) => blockHash)
        expect(hashes).toEqual(Array.from({ length: 12 }, (_, index) => snapshot.blockHash(58 + index)))
      })
      old.release()
    }))

  it('are not read again by the same search', () =>
    withChain(async (temporary) => {
      await appendTransfers(temporary, 100)
      const counting = new CountingStore(temporary.store)
      const chain = new ChainStore({ history: 'all' }, { store: counting })
      const query = { addresses: [TOKEN], topics: [[TRANSFER], [], [RARE]] }
      const readsOf = (snapshot: Snapshot) => {
        counting.reads = 0
        expect([...snapshot.logs(query, 0, 99)]).toHaveLength(3)
        return counting.reads
      }
      reading(chain, (snapshot) => {
        readsOf(snapshot)
        // Postings of the rare topic, its end and the other two criteria once: neither logs nor headers.
        expect(readsOf(snapshot)).toBeLessThanOrEqual(7)
      })
      // A later snapshot reads the hash of the last block of each chunk.
      reading(chain, (snapshot) => expect(readsOf(snapshot)).toBeLessThanOrEqual(8))
    }))

  it('cost as many reads in a long chain as in a short one for a rare topic', async () => {
    const readsAt = async (length: number) => {
      let reads = 0
      await withChain(async (temporary) => {
        await appendTransfers(temporary, length)
        const counting = new CountingStore(temporary.store)
        const snapshot = new ChainStore({ history: 'all' }, { store: counting }).snapshot()
        const query = { addresses: [TOKEN], topics: [[TRANSFER], [], [RARE]] }
        counting.reads = 0
        expect([...snapshot.logs(query, 0, length)].map(({ blockNumber }) => blockNumber)).toEqual([7, 20, 33])
        reads = counting.reads
        snapshot.release()
      })
      return reads
    }
    const [short, long] = [await readsAt(40), await readsAt(400)]
    expect(long).toBe(short)
    // Four postings (three blocks and the end) for each of three criteria; then a log and a header for each result.
    expect(short).toBeLessThanOrEqual(2 * 4 * 3 + 2 * 3)
  })

  it('stop a search at a checkpoint, also without a match', () =>
    withChain(async (temporary) => {
      // Two criteria that alternate and never meet: the search has to step through all of them.
      for (let number = 0; number < 600; number++) {
        await temporary.append({ logs: [[{ address: address(number % 2), topics: [TRANSFER], data: EMPTY_BYTES }]] })
      }
      const snapshot = temporary.chain.snapshot()
      const query = { addresses: [address(0)], topics: [[TRANSFER], [RARE, bigintToHash(1n)]] }
      let checkpoints = 0
      const count = () => {
        checkpoints += 1
      }
      expect([...snapshot.logs({ addresses: [address(0)], topics: [[TRANSFER]] }, 0, 600, count)]).toHaveLength(300)
      expect(checkpoints).toBeGreaterThanOrEqual(3)
      expect([...snapshot.logs(query, 0, 600, count)]).toEqual([])
      const outOfTime = () => {
        throw new Error('out of time')
      }
      expect(() => [...snapshot.logs({ addresses: [], topics: [] }, 0, 600, outOfTime)]).toThrow('out of time')
      snapshot.release()
    }))

  it('find a log far down in a large block, and many addresses at once', () =>
    withChain(async (temporary) => {
      const many = Array.from(
        { length: 1_000 },
        (_, index): Log => ({
          address: address(index % 250),
          topics: [],
          data: Uint8Array.of(index & 255, index >> 8),
        }),
      )
      await temporary.append()
      await temporary.append({ logs: [many.slice(0, 1), many.slice(1)] })
      const { found, everyMatch } = search(
        temporary.chain,
        { addresses: [3, 249, 4_000].map(address), topics: [] },
        0,
        1,
      )
      expect(found.map(({ logIndex }) => logIndex)).toEqual([3, 249, 253, 499, 503, 749, 753, 999])
      expect(found.map(plain)).toEqual(everyMatch.map(plain))
    }))
})

describe('state of a ChainStore', () => {
  it('costs one read for a balance at an old block, whatever the length of the chain', async () => {
    const readsAt = async (length: number) => {
      let reads = 0
      await withChain(async (temporary) => {
        for (let number = 0; number < length; number++) await temporary.append({ diff: balanceOf(BigInt(number)) })
        const counting = new CountingStore(temporary.store)
        const snapshot = new ChainStore({ history: 'all' }, { store: counting }).snapshot()
        const state = snapshot.stateAt(17)!
        counting.reads = 0
        expect(state.account(TOKEN)!.balance).toBe(17n)
        expect(state.storage(TOKEN, bigintToHash(1n) as string as never)).toBe(17n)
        reads = counting.reads
        snapshot.release()
      })
      return reads
    }
    expect([await readsAt(20), await readsAt(300)]).toEqual([2, 2])
  })
})

const TOKEN = address(0x70)
const TRANSFER = bigintToHash(0xddf2n)
const RARE = bigintToHash(0xaaaan)

/** Blocks of transfers of one token; three early ones go to a rare recipient. */
async function appendTransfers(temporary: TemporaryChain, length: number): Promise<void> {
  const random = testRandom(1)
  for (let number = 0; number < length; number++) {
    const recipients = Array.from({ length: 5 }, () => bigintToHash(BigInt(Math.floor(random() * 50))))
    if ([7, 20, 33].includes(number)) recipients[3] = RARE
    await temporary.append({
      logs: recipients.map((to) => [{ address: TOKEN, topics: [TRANSFER, bigintToHash(9n), to], data: EMPTY_BYTES }]),
    })
  }
}

function balanceOf(balance: bigint): StateDiff {
  return {
    accounts: new Map([[TOKEN, { account: { nonce: 1n, balance, codeHash: TRANSFER }, storageCleared: false }]]),
    storage: new Map([[TOKEN, new Map([[bigintToHash(1n) as string as never, balance]])]]),
    code: new Map(),
  }
}

function search(chain: ChainStore, query: LogQuery, from: number, to: number) {
  return reading(chain, (snapshot) => {
    const everyMatch: LogMatch[] = []
    for (let number = Math.max(0, from); number <= Math.min(to, snapshot.number); number++) {
      everyMatch.push(...logsOfBlock(query, snapshot.block(number)!, snapshot.receipts(number)!))
    }
    return { found: [...snapshot.logs(query, from, to)], everyMatch }
  })
}

function plain(found: LogMatch) {
  return { ...found, log: { ...found.log, data: [...found.log.data] } }
}
