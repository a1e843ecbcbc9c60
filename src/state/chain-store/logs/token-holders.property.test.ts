import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_TRIE_NODES, reading, type TemporaryChain, withChain } from '../../../../test/support/sealed-chain.ts'
import type { Log } from '../../../chain/receipt/log.ts'
import { type Address, toAddress, toHash } from '../../../primitives/hex.ts'
import { bigintToHash, bigintToWord } from '../../../primitives/quantity.ts'
import { WriteBatch } from '../../../storage/write-batch.ts'
import { HOLDERS_KEY } from '../encoding/keys.ts'
import type { TableName } from '../encoding/tables.ts'

const TRANSFER = toHash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const [TOKEN, OTHER] = [toAddress(`0x${'f1'.repeat(20)}`), toAddress(`0x${'ff'.repeat(20)}`)]
const account = (index: number): Address =>
  toAddress(`0x${'00'.repeat(19)}${(index + 1).toString(16).padStart(2, '0')}`)
const ALL = { from: toAddress(`0x${'00'.repeat(20)}`), limit: 1_000 }

interface Transfer {
  readonly token: Address
  readonly to: number
}

function logOf({ token, to }: Transfer): Log {
  const topics = [TRANSFER, bigintToHash(1n), bigintToHash(BigInt(account(to)))]
  return { address: token, topics, data: bigintToWord(5n) }
}

type Step =
  | { readonly kind: 'blocks'; readonly transfers: readonly (readonly Transfer[])[] }
  | { readonly kind: 'unwind'; readonly back: number }

const TRANSFERS = fc.array(fc.record({ token: fc.constantFrom(TOKEN, OTHER), to: fc.nat(5) }), { maxLength: 4 })
const STEPS: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('blocks' as const), transfers: fc.array(TRANSFERS, { minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constant('unwind' as const), back: fc.nat(4) }),
  ),
  { maxLength: 8 },
)

async function apply(temporary: TemporaryChain, step: Step, chain: (readonly Transfer[])[]): Promise<void> {
  if (step.kind === 'unwind') {
    const number = Math.max(0, chain.length - 1 - step.back)
    await temporary.chain.unwind(number, NO_TRIE_NODES)
    chain.length = number + 1
    return
  }
  await temporary.appendTogether(step.transfers.map((transfers) => ({ logs: [transfers.map(logOf)] })))
  chain.push(...step.transfers)
}

/** The recipients of a token with the first block, in the order of their addresses. */
function expected(token: Address, chain: readonly (readonly Transfer[])[]) {
  const since = new Map<Address, number>()
  for (const [number, transfers] of chain.entries()) {
    for (const transfer of transfers) {
      const holder = account(transfer.to)
      if (transfer.token === token && !since.has(holder)) since.set(holder, number)
    }
  }
  return [...since]
    .map(([holder, number]) => ({ holder, since: number }))
    .sort((a, b) => (a.holder < b.holder ? -1 : 1))
}

test('names the recipients of each token with their first block, through any unwinding and after reopening', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, (steps) =>
      withChain(async (temporary) => {
        await temporary.append()
        const chain: (readonly Transfer[])[] = [[]]
        for (const step of steps) await apply(temporary, step, chain)
        await temporary.reopen()

        reading(temporary.chain, (snapshot) => {
          expect(snapshot.holdersFrom).toBe(0)
          for (const token of [TOKEN, OTHER]) expect(snapshot.holders(token, ALL)).toEqual(expected(token, chain))
          const [first, second] = expected(TOKEN, chain)
          if (second !== undefined) {
            expect(snapshot.holders(TOKEN, { from: second.holder, limit: 1 })).toEqual([second])
            expect(snapshot.holders(TOKEN, { ...ALL, limit: 1 })).toEqual([first])
          }
          const parts = [...snapshot.holderParts(2)].flatMap(({ holders }) => holders)
          const pairs = [TOKEN, OTHER].flatMap((token) => expected(token, chain).map((holder) => [token, holder]))
          expect(parts).toEqual(pairs)
        })
      }),
    ),
    { numRuns: 60 },
  )
})

test.each<readonly [string, (batch: WriteBatch<TableName>) => void]>([
  ['that an older version has written', (batch) => batch.delete('logPostings', HOLDERS_KEY)],
  ['whose note has no checksum', (batch) => batch.put('logPostings', HOLDERS_KEY, new Uint8Array(40))],
  ['whose note is damaged', (batch) => batch.put('logPostings', HOLDERS_KEY, new Uint8Array(44))],
])('begins with the next block in a directory %s', (_, damage) =>
  withChain(async (temporary) => {
    const transfer = (to: number) => temporary.append({ logs: [[logOf({ token: TOKEN, to })]] })
    await temporary.append()
    await transfer(0)
    const batch = new WriteBatch<TableName>()
    damage(batch)
    await temporary.store.commit(batch)

    await transfer(1)
    await transfer(2)

    reading(temporary.chain, (snapshot) => {
      expect(snapshot.holdersFrom).toBe(2)
      expect(snapshot.holders(TOKEN, ALL).map(({ since }) => since)).toEqual([1, 2, 3])
    })
    await temporary.chain.unwind(0, NO_TRIE_NODES)
    expect(reading(temporary.chain, ({ holdersFrom }) => holdersFrom)).toBe(1)
  }),
)

test('ignores logs of other forms, and the zero address', () =>
  withChain(async (temporary) => {
    const log = logOf({ token: TOKEN, to: 0 })
    const [event, from] = log.topics
    const others: readonly Log[] = [
      { ...log, topics: [...log.topics, bigintToHash(7n)] },
      { ...log, topics: [event!, from!, bigintToHash(2n ** 160n)] },
      { ...log, topics: [event!, from!, bigintToHash(0n)] },
      { ...log, topics: [from!, from!, from!] },
      { ...log, data: new Uint8Array(64) },
    ]
    await temporary.append()
    await temporary.append({ logs: [others] })

    expect(reading(temporary.chain, (snapshot) => snapshot.holders(TOKEN, ALL))).toEqual([])
  }))
