import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ADDRESSES, stateDiffs } from '../../../../test/support/naive-state.ts'
import { propertyRuns } from '../../../../test/support/runs.ts'
import { contentOf, reading, withChain } from '../../../../test/support/sealed-chain.ts'
import { TrieNodeCache } from '../../trie/node-cache.ts'
import { createStateTrie, openStateTrie } from '../../trie/state-trie.ts'

it('stored tries have the roots of tries in memory, also after reopening and unwinding', async () => {
  const diffs = fc.array(stateDiffs, { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(diffs, fc.nat(7), (all, back) =>
      withChain(async (temporary) => {
        const cache = new TrieNodeCache()
        const tries = [createStateTrie()]
        const nodesAfter: (readonly string[])[] = []
        for (const diff of all) {
          const trie = tries.at(-1)!.apply(diff)
          await temporary.append({ diff, trieNodes: trie.writesSince(tries.at(-1)!) })
          tries.push(trie)
          nodesAfter.push(contentOf(temporary.store).trieNodes!)
        }
        await temporary.reopen()
        const newest = all.length - 1
        const target = Math.max(0, newest - back)
        const { trieNodes } = reading(temporary.chain, (snapshot) => {
          const stored = openStateTrie(tries.at(-1)!.root, snapshot.trieNodes, cache)
          for (const address of ADDRESSES) {
            expect(stored.storageRoot(address)).toBe(tries.at(-1)!.storageRoot(address))
          }
          let trie = stored
          for (let number = newest; number > target; number--) trie = trie.apply(snapshot.reverseDiff(number)!)
          expect(trie.root).toBe(tries[target + 1]!.root)
          return { trieNodes: trie.writesSince(stored) }
        })
        await temporary.chain.unwind(target, trieNodes)
        expect(contentOf(temporary.store).trieNodes).toEqual(nodesAfter[target])
      }),
    ),
    { numRuns: propertyRuns(60) },
  )
})
