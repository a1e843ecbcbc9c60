import { createMPT } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conformanceBytes, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { rlpSequence } from '../../../test/support/rlp-sequence.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Bytes, bytesToHex } from '../../primitives/hex.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import { encodeRlp, encodeTypedRlp, type RlpItem, type RlpSource } from '../../primitives/rlp.ts'
import { pushEncoded, pushType } from '../../primitives/rlp-parts.ts'
import { pushItem } from '../../primitives/rlp-writer.ts'
import { orderedRoot, orderedRootsOf } from './ordered-root.ts'
import { emptyOrderedTrie } from './ordered-trie.ts'

const item = fc.uint8Array({ minLength: 1, maxLength: 40 })

async function oracleRoot(items: readonly Bytes[]): Promise<string> {
  const trie = await createMPT()
  for (const [index, value] of items.entries()) await trie.put(encodeRlp(bigintToBytes(BigInt(index))), value)
  return bytesToHex(trie.root())
}

describe('OrderedTrie', () => {
  it('has the root of another implementation after every append, while shorter tries keep theirs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(item, { maxLength: 60 }), { maxLength: 6 }), async (chunks) => {
        let trie = emptyOrderedTrie()
        const versions = [{ trie, root: EMPTY_TRIE_ROOT as string }]
        const all: Bytes[] = []
        for (const chunk of chunks) {
          trie = trie.append(chunk)
          all.push(...chunk)
          versions.push({ trie, root: await oracleRoot(all) })
          expect(trie.size).toBe(all.length)
        }
        expect(orderedRoot(all)).toBe(trie.root)
        for (const version of versions) expect(version.trie.root).toBe(version.root)
      }),
      { numRuns: 30 },
    )
  })

  it('has the same root when items are encoded in transient memory', () => {
    // Some items and leaves exceed the reused buffer.
    const length = fc.oneof({ weight: 9, arbitrary: fc.nat(600) }, fc.integer({ min: 1_900, max: 70_000 }))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(255), length), { maxLength: 140 }), (items) => {
        const list = items.map(([fill, size]) => [fill, new Uint8Array(size).fill(fill)])
        const write = (one: RlpSource) => {
          pushItem(one)
          pushType(2)
        }
        expect(orderedRootsOf(list, [write])).toEqual([
          emptyOrderedTrie().append(list.map((one) => encodeTypedRlp(2, one))).root,
        ])
      }),
      { numRuns: 50 },
    )
  })

  it('computes the roots of several lists of the same length at once, with short and long items', () => {
    // A node of less than 32 bytes is embedded in its parent; leaves of the two tries differ in their number of hash
    // blocks.
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 })
    const short = fc.uint8Array({ minLength: 1, maxLength: 3 })
    const pair = fc.tuple(fc.oneof(bytes, short), fc.oneof(bytes, short))
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 300 }), (pairs) => {
        const lists = [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
        const writers = [0, 1].map((side) => (both: [Bytes, Bytes]) => pushEncoded(both[side]!))
        expect(orderedRootsOf(pairs, writers)).toEqual(lists.map((items) => emptyOrderedTrie().append(items).root))
      }),
      { numRuns: 200 },
    )
  })

  it('has the right root after a computation that failed on an item', () => {
    // At the same path, long leaves are queued for hashing and short ones embedded.
    const short = Array.from({ length: 6 }, (_, index) => new Uint8Array([index + 1]))
    for (let wrong = 0; wrong < 6; wrong++) {
      const write = (index: number) => {
        if (index === wrong) throw new RangeError('no item')
        pushEncoded(new Uint8Array(100).fill(index))
      }
      expect(() => orderedRootsOf([0, 1, 2, 3, 4, 5], [write])).toThrow('no item')
      expect(orderedRoot(short)).toBe(emptyOrderedTrie().append(short).root)
    }
  })

  it('sorts indexes of one, two and three bytes', async () => {
    const items = Array.from({ length: 300 }, (_, index) => new Uint8Array([index & 255, index >> 8]))
    expect(orderedRoot(items)).toBe(await oracleRoot(items))
  })
})

const CHAIN = 'execution-apis/chain.rlp'

describe.skipIf(!hasConformanceData(CHAIN, 'roots of the conformance chain'))('the conformance chain', () => {
  it('has the transactions and withdrawals roots of all 54 headers', () => {
    const blocks = [...rlpSequence(conformanceBytes(CHAIN))]
    expect(blocks).toHaveLength(54)
    for (const block of blocks) {
      const [header, transactions, , withdrawals] = block.item as readonly (readonly RlpItem[])[]
      // A typed transaction is a byte string with its envelope, a legacy one is a list.
      const envelopes = transactions!.map((one) => (one instanceof Uint8Array ? one : encodeRlp(one)))
      expect(orderedRoot(envelopes)).toBe(bytesToHex(header![4] as Bytes))
      if (withdrawals !== undefined) {
        expect(orderedRoot(withdrawals.map(encodeRlp))).toBe(bytesToHex(header![16] as Bytes))
      }
    }
  })
})
