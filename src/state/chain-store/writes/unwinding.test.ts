import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stateDiffs, statesAfter, withoutCode } from '../../../../test/support/naive-state.ts'
import { appendAll, contentOf, NO_TRIE_NODES, reading, withChain } from '../../../../test/support/sealed-chain.ts'
import type { Log } from '../../../chain/receipt/log.ts'
import { ZERO_ADDRESS } from '../../../primitives/hex.ts'
import { bigintToHash } from '../../../primitives/quantity.ts'
import type { Snapshot } from '../../snapshot.ts'
import { ChainStore } from '../chain-store.ts'
import { beginAnew } from '../transfer/chain-transfer.ts'

const chainsOfDiffs = fc.array(stateDiffs, { minLength: 1, maxLength: 10 })
const log: Log = { address: ZERO_ADDRESS, topics: [bigintToHash(1n)], data: Uint8Array.from([1, 2]) }

describe('ChainStore: unwinding', () => {
  it('restores every table byte by byte, and other blocks can follow', async () => {
    await fc.assert(
      fc.asyncProperty(chainsOfDiffs, chainsOfDiffs, fc.nat(9), (diffs, others, back) =>
        withChain(async (temporary) => {
          const target = Math.max(0, diffs.length - 1 - back)
          await appendAll(temporary, diffs.slice(0, target + 1))
          const before = contentOf(temporary.store)
          await appendAll(temporary, diffs.slice(target + 1))
          const pinned = temporary.chain.snapshot()
          await temporary.chain.unwind(target, NO_TRIE_NODES)
          expect(contentOf(temporary.store)).toEqual(before)
          expect(withoutCode(pinned.stateAt(diffs.length - 1)!)).toEqual(withoutCode(statesAfter(diffs).at(-1)!))

          const states = statesAfter([...diffs.slice(0, target + 1), ...others])
          for (const diff of others) await temporary.append({ diff, salt: 1, logs: [[log], []] })
          reading(temporary.chain, (snapshot) => {
            for (const [number, state] of states.entries()) {
              expect(withoutCode(snapshot.stateAt(number)!)).toEqual(withoutCode(state))
            }
            expect(snapshot.receipts(target + 1)).toHaveLength(2)
          })
        }),
      ),
      { numRuns: 40 },
    )
  })

  it('unwinding below the finalized block lowers it; a new chain resets it', () =>
    withChain(async (temporary) => {
      const { chain, store } = temporary
      const finalized = () => reading(chain, (snapshot) => snapshot.finalizedBefore)
      for (let block = 0; block < 6; block++) await temporary.append()
      await chain.unwind(4, NO_TRIE_NODES, { finalized: 3 })
      expect(finalized()).toBe(3)
      await chain.unwind(3, NO_TRIE_NODES)
      expect(finalized()).toBe(3)
      await chain.unwind(2, NO_TRIE_NODES, { finalized: 2 })
      expect(finalized()).toBe(2)
      await beginAnew(store, async () => {}, 1)
      const other = new ChainStore({ history: 'all' }, { store })
      await temporary.append()
      expect(reading(other, (snapshot) => snapshot.finalizedBefore)).toBe(0)
    }))

  it('restores trie nodes in the same commit', () =>
    withChain(async (temporary) => {
      const path = (...bytes: number[]) => Uint8Array.from(bytes)
      const node = (value: number) => Uint8Array.from([value])
      await temporary.append({
        trieNodes: {
          puts: [
            [path(), node(1)],
            [path(1), node(2)],
            [path(7, 1), node(3)],
          ],
          deletes: [],
          deletedPrefixes: [],
        },
      })
      const before = contentOf(temporary.store)
      const old = temporary.chain.snapshot()
      await temporary.append({
        trieNodes: {
          puts: [
            [path(), node(4)],
            [path(7, 2), node(5)],
          ],
          deletes: [path(1)],
          deletedPrefixes: [path(7)],
        },
      })
      const nodesIn = ({ trieNodes }: Snapshot) =>
        [path(), path(1), path(7, 1), path(7, 2)].map((key) => trieNodes.node(key)?.[0])
      expect(nodesIn(old)).toEqual([1, 2, 3, undefined])
      expect(reading(temporary.chain, nodesIn)).toEqual([4, undefined, undefined, 5])
      await temporary.chain.unwind(0, {
        puts: [
          [path(), node(1)],
          [path(1), node(2)],
          [path(7, 1), node(3)],
        ],
        deletes: [path(7, 2)],
        deletedPrefixes: [],
      })
      expect(contentOf(temporary.store)).toEqual(before)
    }))

  it('rejects a height that does not exist', () =>
    withChain(async (temporary) => {
      await expect(temporary.chain.unwind(0, NO_TRIE_NODES)).rejects.toMatchObject({ code: 'BLOCK_OUT_OF_ORDER' })
      await temporary.append()
      for (const number of [-1, 1]) {
        await expect(temporary.chain.unwind(number, NO_TRIE_NODES)).rejects.toMatchObject({
          code: 'BLOCK_OUT_OF_ORDER',
        })
      }
    }))
})
