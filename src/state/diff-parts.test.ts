import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ADDRESSES, everythingIn, NaiveState, stateDiffs } from '../../test/support/naive-state.ts'
import { bigintToSlot } from '../primitives/quantity.ts'
import { EMPTY_ACCOUNT } from './account.ts'
import { emptyDiff } from './diff.ts'
import { diffParts } from './diff-parts.ts'
import type { StateDiff } from './state-diff.ts'

const ADDRESS = ADDRESSES[0]!

/** A change of one account that replaces its storage with so many slots. */
function replacing(count: number): StateDiff {
  const slots = new Map(Array.from({ length: count }, (_, index) => [bigintToSlot(BigInt(index)), 1n] as const))
  return {
    accounts: new Map([[ADDRESS, { account: EMPTY_ACCOUNT, storageCleared: true }]]),
    storage: new Map([[ADDRESS, slots]]),
    code: new Map(),
  }
}

describe('diffParts', () => {
  it('property: parts of any size have the effect of the diff, on any state', () => {
    fc.assert(
      fc.property(stateDiffs, stateDiffs, fc.integer({ min: 1, max: 1_000 }), (first, diff, partBytes) => {
        const before = new NaiveState().after(first)

        const after = [...diffParts(diff, partBytes)].reduce((state, part) => state.after(part), before)

        expect(everythingIn(after)).toEqual(everythingIn(before.after(diff)))
      }),
      { numRuns: 300 },
    )
  })

  it('divides the slots of an account, whose storage only the first part clears', () => {
    const parts = [...diffParts(replacing(1_000), 7_000)]

    expect(parts.map(({ storage }) => storage.get(ADDRESS)!.size)).toEqual([
      ...Array.from({ length: 10 }, () => 99),
      10,
    ])
    expect(parts.map(({ accounts }) => accounts.get(ADDRESS)!.storageCleared)).toEqual([
      true,
      ...Array.from({ length: 10 }, () => false),
    ])
  })

  it('yields a small or empty diff unchanged, also for the smallest part', () => {
    const small = replacing(2)

    expect([...diffParts(small, 4_000)]).toEqual([small])
    expect([...diffParts(emptyDiff(), 1)]).toEqual([emptyDiff()])
    expect([...diffParts(emptyDiff(), 4_000)]).toEqual([emptyDiff()])
  })
})
