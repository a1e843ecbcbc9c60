import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ADDRESSES,
  everythingIn,
  stateDiffs,
  statesAfter,
  touching,
  withoutCode,
} from '../../../test/support/naive-state.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { appendAll, contentOf, NO_TRIE_NODES, reading, withChain } from '../../../test/support/sealed-chain.ts'
import type { Snapshot } from '../snapshot.ts'
import type { StateReader } from '../state-reader.ts'
import { createStateTrie } from '../trie/state-trie.ts'

const chainsOfDiffs = fc.array(stateDiffs, { minLength: 1, maxLength: 10 })

describe('ChainStore: state', () => {
  it('reads the state after any block, from any snapshot, as a list of full copies does', async () => {
    await fc.assert(
      fc.asyncProperty(chainsOfDiffs, (diffs) =>
        withChain(async (temporary) => {
          const states = statesAfter(diffs)
          const snapshots: Snapshot[] = []
          for (const diff of diffs) {
            await temporary.append({ diff })
            snapshots.push(temporary.chain.snapshot())
          }
          for (const snapshot of snapshots) {
            for (const [number, state] of states.entries()) {
              const reader = snapshot.stateAt(number)
              if (number > snapshot.number) expect(reader).toBeUndefined()
              else expect(withoutCode(reader!)).toEqual(withoutCode(state))
            }
          }
          expect(everythingIn(snapshots.at(-1)!.stateAt(diffs.length - 1)!)).toEqual(everythingIn(states.at(-1)!))
          await temporary.reopen()
          reading(temporary.chain, (snapshot) => {
            for (const [number, state] of states.entries()) {
              expect(withoutCode(snapshot.stateAt(number)!)).toEqual(withoutCode(state))
            }
          })
        }),
      ),
      { numRuns: propertyRuns(60) },
    )
  })

  it('knows which accounts have storage after any block', async () => {
    await fc.assert(
      fc.asyncProperty(chainsOfDiffs, (diffs) =>
        withChain(async (temporary) => {
          for (const diff of diffs) await temporary.append({ diff })
          reading(temporary.chain, (snapshot) => {
            for (const [number, state] of statesAfter(diffs).entries()) {
              const reader = snapshot.stateAt(number)!
              const having = (from: Pick<StateReader, 'hasStorage'>) => ADDRESSES.map((who) => from.hasStorage(who))
              expect(having(reader)).toEqual(having(state))
            }
          })
        }),
      ),
      { numRuns: propertyRuns(40) },
    )
  })

  it('derives the state and trie of every older block from reverse diffs', async () => {
    await fc.assert(
      fc.asyncProperty(chainsOfDiffs, (diffs) =>
        withChain(async (temporary) => {
          const tries = [createStateTrie()]
          for (const diff of diffs) {
            tries.push(tries.at(-1)!.apply(diff))
            await temporary.append({ diff })
          }
          reading(temporary.chain, (snapshot) => {
            const states = statesAfter(diffs)
            let state = states.at(-1)!
            let trie = tries.at(-1)!
            for (let number = diffs.length - 1; number > 0; number--) {
              const reverse = snapshot.reverseDiff(number)!
              expect([...reverse.storage.keys()].filter((address) => !reverse.accounts.has(address))).toEqual([])
              state = state.after(reverse)
              expect(withoutCode(state)).toEqual(withoutCode(states[number - 1]!))
              trie = trie.apply(reverse)
              expect(trie.root).toBe(tries[number]!.root)
            }
            expect(snapshot.reverseDiff(0)).toBeUndefined()
            expect(snapshot.reverseDiff(diffs.length)).toBeUndefined()
          })
        }),
      ),
      { numRuns: propertyRuns(60) },
    )
  })

  it('prunes state below the horizon only, and the rest stays correct', async () => {
    await fc.assert(
      fc.asyncProperty(chainsOfDiffs, fc.integer({ min: 1, max: 4 }), (diffs, history) =>
        withChain(
          async (temporary) => {
            const states = statesAfter(diffs)
            for (const [newest, diff] of diffs.entries()) {
              await temporary.append({ diff })
              const oldest = Math.max(0, newest - history)
              reading(temporary.chain, (snapshot) => {
                for (let number = 0; number < oldest; number++) {
                  expect(() => snapshot.stateAt(number)).toThrow(
                    expect.objectContaining({ code: 'STATE_PRUNED', oldest }),
                  )
                  expect(() => snapshot.reverseDiff(number + 1)).toThrow(
                    expect.objectContaining({ code: 'STATE_PRUNED' }),
                  )
                  expect(snapshot.block(number)).toBeDefined()
                }
                for (let number = oldest; number <= newest; number++) {
                  expect(withoutCode(snapshot.stateAt(number)!)).toEqual(withoutCode(states[number]!))
                }
              })
              // At most one entry of every item at or below the horizon, and none that marks an absence.
              const { accountHistory, storageHistory, changes } = contentOf(temporary.store)
              expect(changes).toHaveLength(newest - oldest)
              for (const [entries, itemLength] of [
                [accountHistory!, 40],
                [storageHistory!, 104],
              ] as const) {
                const old = entries.filter((entry) => blockOfHistory(entry, itemLength) <= oldest)
                expect(new Set(old.map((entry) => entry.slice(0, itemLength))).size).toBe(old.length)
                if (oldest > 0)
                  expect(old.filter((entry) => entry.endsWith('=') && blockOfHistory(entry, itemLength) > 0)).toEqual(
                    [],
                  )
              }
            }
          },
          { history },
        ),
      ),
      { numRuns: propertyRuns(40) },
    )
  })

  it('prunes a backlog when the setting is lowered, and does not restore it when it is raised', () =>
    withChain(async (temporary) => {
      const diffs = Array.from({ length: 8 }, (_, number) => touching(BigInt(number + 1)))
      await appendAll(temporary, diffs)
      await temporary.reopen({ history: 2 })
      await temporary.append({ diff: touching(9n) })
      reading(temporary.chain, (snapshot) => {
        expect(() => snapshot.stateAt(5)).toThrow(expect.objectContaining({ code: 'STATE_PRUNED', oldest: 6 }))
        expect(snapshot.stateAt(6)!.account(ADDRESSES[0]!)!.balance).toBe(7n)
        expect([...snapshot.logs({ addresses: [], topics: [] }, 0, 8)]).toHaveLength(8)
      })
      await temporary.reopen({ history: 'all' })
      await temporary.append({ diff: touching(10n) })
      reading(temporary.chain, (snapshot) => {
        expect(() => snapshot.stateAt(5)).toThrow(expect.objectContaining({ code: 'STATE_PRUNED', oldest: 6 }))
        expect([6, 7, 8, 9].map((number) => snapshot.stateAt(number)!.account(ADDRESSES[0]!)!.balance)).toEqual([
          7n,
          8n,
          9n,
          10n,
        ])
      })
      await expect(temporary.chain.unwind(5, NO_TRIE_NODES)).rejects.toMatchObject({ code: 'STATE_PRUNED' })
    }))

  it('writes nothing for values that did not change', () =>
    withChain(async (temporary) => {
      await temporary.append({ diff: touching(1n) })
      const before = contentOf(temporary.store)
      await temporary.append({ diff: touching(1n) })
      const after = contentOf(temporary.store)
      for (const table of ['accounts', 'storage', 'code', 'accountHistory', 'storageHistory']) {
        expect(after[table]).toEqual(before[table])
      }
    }))
})

function blockOfHistory(entry: string, itemLength: number): number {
  return Number(0xffffffffffffffffn - BigInt(`0x${entry.slice(itemLength, itemLength + 16)}`))
}
