import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CountingStore } from '../../../test/support/counting-store.ts'
import { reading, withChain } from '../../../test/support/sealed-chain.ts'
import type { Log } from '../../chain/receipt/log.ts'
import { ZERO_ADDRESS } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { ChainStore } from './chain-store.ts'

const logs: fc.Arbitrary<Log> = fc.record({
  address: fc.constant(ZERO_ADDRESS),
  topics: fc.array(fc.constant(bigintToHash(1n)), { maxLength: 4 }),
  data: fc.uint8Array({ maxLength: 40 }),
})

it('reads a transaction and its receipt as in their block, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(logs, { maxLength: 7 }), { maxLength: 6 }), fc.boolean(), (ofBlock, isWarm) =>
      withChain(async (temporary) => {
        await temporary.append({ logs: ofBlock })
        const chain = new ChainStore({ history: 'all' }, { store: temporary.store })
        reading(chain, (snapshot) => {
          if (isWarm) expect([snapshot.block(0), snapshot.receipts(0)]).not.toContain(undefined)
          const found = ofBlock.map((_, index) => snapshot.transactionAt({ blockNumber: 0, index }))
          const block = snapshot.block(0)!
          const expected = ofBlock.map((_, index) => ({
            transaction: block.transactions[index],
            receipt: snapshot.receipts(0)![index],
            index,
            block: { header: block.header, hash: block.hash },
          }))
          expect(plain(found)).toEqual(plain(expected))
          expect(snapshot.transactionAt({ blockNumber: 0, index: ofBlock.length })).toBeUndefined()
          expect(snapshot.transactionAt({ blockNumber: 1, index: 0 })).toBeUndefined()
        })
      }),
    ),
    { numRuns: 60 },
  )
})

it('reads a receipt of a block of a thousand logs with as many reads as of a block of one', () =>
  withChain(async (temporary) => {
    const log: Log = { address: ZERO_ADDRESS, topics: [], data: new Uint8Array(0) }
    await temporary.append({ logs: [[log]] })
    await temporary.append({ logs: Array.from({ length: 1_000 }, () => [log]) })
    const counting = new CountingStore(temporary.store)
    const readsOf = (blockNumber: number, index: number) =>
      reading(new ChainStore({ history: 'all' }, { store: counting }), (snapshot) => {
        counting.reads = 0
        expect(snapshot.transactionAt({ blockNumber, index })!.receipt.firstLogIndex).toBe(index)
        return counting.reads
      })
    expect(readsOf(1, 999)).toBe(readsOf(0, 0))
  }))

/** Buffers and plain byte arrays are equivalent. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, member) => {
      if (typeof member === 'bigint') return `${member}n`
      return member?.type === 'Buffer' ? member.data : member instanceof Uint8Array ? [...member] : member
    }),
  )
}
