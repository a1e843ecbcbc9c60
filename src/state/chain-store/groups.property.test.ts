import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NaiveState, stateDiffs, withoutCode } from '../../../test/support/naive-state.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { contentOf, NO_TRIE_NODES, reading, TemporaryChain, withChain } from '../../../test/support/sealed-chain.ts'

/** Blocks above genesis, which has no prelude, and the numbers of blocks per commit. */
const chains = fc.record({
  genesis: stateDiffs,
  blocks: fc.array(fc.record({ prelude: fc.option(stateDiffs, { nil: undefined, freq: 2 }), diff: stateDiffs }), {
    minLength: 1,
    maxLength: 10,
  }),
  sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 10, maxLength: 10 }),
})

function* groupsOf<Item>(items: readonly Item[], sizes: readonly number[]): Iterable<readonly Item[]> {
  let start = 0
  for (const size of sizes) {
    if (start < items.length) yield items.slice(start, start + size)
    start += size
  }
}

describe('ChainStore: blocks that share a commit', () => {
  it('leave every table as if each had its own, also when they are unwound', async () => {
    await fc.assert(
      fc.asyncProperty(chains, fc.nat(10), async ({ genesis, blocks, sizes }, back) => {
        const alone = new TemporaryChain()
        const together = new TemporaryChain()
        try {
          for (const chain of [alone, together]) await chain.append({ diff: genesis })
          for (const block of blocks) await alone.append(block)
          for (const group of groupsOf(blocks, sizes)) await together.appendTogether(group)
          expect(contentOf(together.store)).toEqual(contentOf(alone.store))

          const target = Math.max(0, blocks.length - back)
          for (const { chain } of [alone, together]) await chain.unwind(target, NO_TRIE_NODES)
          expect(contentOf(together.store)).toEqual(contentOf(alone.store))
        } finally {
          await alone.remove()
          await together.remove()
        }
      }),
      { numRuns: propertyRuns(100) },
    )
  })

  it('keep the states within the history readable, and prune the others', async () => {
    await fc.assert(
      fc.asyncProperty(chains, fc.integer({ min: 1, max: 4 }), ({ genesis, blocks, sizes }, history) =>
        withChain(
          async (temporary) => {
            const states = [new NaiveState().after(genesis)]
            await temporary.append({ diff: genesis })
            for (const group of groupsOf(blocks, sizes)) {
              const first = states.length
              await temporary.appendTogether(group)
              for (const { prelude, diff } of group) {
                // A prelude shows at the parent.
                if (prelude !== undefined) states.push(states.pop()!.after(prelude))
                states.push(states.at(-1)!.after(diff))
              }
              reading(temporary.chain, (snapshot) => {
                const newest = states.length - 1
                expect(snapshot.oldestState).toBeLessThanOrEqual(Math.max(0, newest - history))
                expect(snapshot.oldestState).toBeGreaterThanOrEqual(Math.min(first - 2, newest - history))
                for (let number = snapshot.oldestState; number <= newest; number++) {
                  expect(withoutCode(snapshot.stateAt(number)!)).toEqual(withoutCode(states[number]!))
                }
              })
            }
          },
          { history },
        ),
      ),
      { numRuns: propertyRuns(100) },
    )
  })
})
