import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NaiveState, stateDiffs, withoutCode } from '../../../../test/support/naive-state.ts'
import { propertyRuns } from '../../../../test/support/runs.ts'
import {
  contentOf,
  NO_TRIE_NODES,
  reading,
  type TemporaryChain,
  withChain,
} from '../../../../test/support/sealed-chain.ts'
import type { StateDiff } from '../../state-diff.ts'
import { createStateTrie } from '../../trie/state-trie.ts'

interface Content {
  readonly prelude: StateDiff | undefined
  readonly diff: StateDiff
}

const blocks = (minLength: number) =>
  fc.array(fc.record({ prelude: fc.option(stateDiffs, { nil: undefined, freq: 1 }), diff: stateDiffs }), {
    minLength,
    maxLength: 8,
  })

/** A chain of these blocks upon genesis, which has no prelude. */
const chains = fc
  .tuple(stateDiffs, blocks(1))
  .map(([genesis, above]): readonly Content[] => [{ prelude: undefined, diff: genesis }, ...above])

/** State of the chain after each block, with the alterations after it. */
function readStates(contents: readonly Content[]): readonly NaiveState[] {
  const states: NaiveState[] = []
  let state = new NaiveState()
  for (const [number, { prelude, diff }] of contents.entries()) {
    if (prelude !== undefined) {
      state = state.after(prelude)
      states[number - 1] = state
    }
    state = state.after(diff)
    states.push(state)
  }
  return states
}

async function append(temporary: TemporaryChain, contents: readonly Content[], salt = 0): Promise<void> {
  for (const content of contents) await temporary.append({ ...content, salt })
}

function expectStates(temporary: TemporaryChain, contents: readonly Content[], oldest = 0): void {
  reading(temporary.chain, (snapshot) => {
    for (const [number, state] of readStates(contents).entries()) {
      if (number >= oldest) expect(withoutCode(snapshot.stateAt(number)!)).toEqual(withoutCode(state))
    }
  })
}

describe('ChainStore: preludes', () => {
  it('are read at the parent and later, not below, and survive a restart', async () => {
    await fc.assert(
      fc.asyncProperty(chains, (contents) =>
        withChain(async (temporary) => {
          await append(temporary, contents)

          expectStates(temporary, contents)
          await temporary.reopen()
          expectStates(temporary, contents)
          reading(temporary.chain, (snapshot) => {
            for (const [number, { prelude }] of contents.entries()) expect(snapshot.prelude(number)).toEqual(prelude)
          })
        }),
      ),
      { numRuns: propertyRuns(100) },
    )
  })

  it('are undone by unwinding their block: every table is as before it', async () => {
    await fc.assert(
      fc.asyncProperty(chains, blocks(1), fc.nat(8), (contents, others, back) =>
        withChain(async (temporary) => {
          const target = Math.max(0, contents.length - 1 - back)
          const kept = contents.slice(0, target + 1)
          await append(temporary, kept)
          const before = contentOf(temporary.store)
          await append(temporary, contents.slice(target + 1))

          await temporary.chain.unwind(target, NO_TRIE_NODES)

          expect(contentOf(temporary.store)).toEqual(before)
          await append(temporary, others, 1)
          expectStates(temporary, [...kept, ...others])
        }),
      ),
      { numRuns: propertyRuns(100) },
    )
  })

  it('are not part of the state that the header of the parent commits to', async () => {
    await fc.assert(
      fc.asyncProperty(chains, (contents) =>
        withChain(async (temporary) => {
          const roots: string[] = []
          let trie = createStateTrie()
          for (const { prelude, diff } of contents) {
            trie = (prelude === undefined ? trie : trie.apply(prelude)).apply(diff)
            roots.push(trie.root)
          }
          await append(temporary, contents)

          reading(temporary.chain, (snapshot) => {
            let older = trie
            for (let number = contents.length - 1; number > 0; number--) {
              older = older.apply(snapshot.reverseDiff(number)!)
              expect(older.root).toBe(roots[number - 1])
            }
          })
        }),
      ),
      { numRuns: propertyRuns(60) },
    )
  })

  it('leave states above the horizon correct, and no superseded history below it', async () => {
    await fc.assert(
      fc.asyncProperty(chains, fc.integer({ min: 1, max: 4 }), fc.nat(3), (contents, history, back) =>
        withChain(
          async (temporary) => {
            for (const newest of contents.keys()) {
              await append(temporary, contents.slice(newest, newest + 1))
              const { oldestState } = reading(temporary.chain, (snapshot) => snapshot)
              expect(oldestState).toBeGreaterThanOrEqual(newest - history - 1)
              expectStates(temporary, contents.slice(0, newest + 1), oldestState)
              expectOneEntryEach(temporary, oldestState)
            }
            const newest = contents.length - 1
            const oldest = reading(temporary.chain, (snapshot) => snapshot.oldestState)
            const target = Math.max(oldest, newest - back)
            await temporary.chain.unwind(target, NO_TRIE_NODES)
            expectStates(temporary, contents.slice(0, target + 1), oldest)
          },
          { history },
        ),
      ),
      { numRuns: propertyRuns(100) },
    )
  })
})

function expectOneEntryEach(temporary: TemporaryChain, oldest: number): void {
  const { accountHistory, storageHistory } = contentOf(temporary.store)
  for (const [entries, itemLength] of [
    [accountHistory!, 40],
    [storageHistory!, 104],
  ] as const) {
    const old = entries.filter((entry) => blockOfHistory(entry, itemLength) <= oldest)
    expect(new Set(old.map((entry) => entry.slice(0, itemLength))).size).toBe(old.length)
  }
}

function blockOfHistory(entry: string, itemLength: number): number {
  return Number(0xffffffffffffffffn - BigInt(`0x${entry.slice(itemLength, itemLength + 16)}`))
}
