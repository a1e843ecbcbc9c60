import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { everythingIn, NaiveState, stateDiffs } from '../../test/support/naive-state.ts'
import { emptyDiff, mergeDiffs } from './diff.ts'

describe('mergeDiffs', () => {
  it('has the effect of the diffs in order, on any state', () => {
    fc.assert(
      fc.property(stateDiffs, fc.array(stateDiffs, { maxLength: 6 }), (first, diffs) => {
        const before = new NaiveState().after(first)
        const stepByStep = diffs.reduce((state, diff) => state.after(diff), before)
        expect(everythingIn(before.after(mergeDiffs(diffs)))).toEqual(everythingIn(stepByStep))
      }),
      { numRuns: 300 },
    )
  })

  it('is associative', () => {
    fc.assert(
      fc.property(fc.array(stateDiffs, { maxLength: 3 }), fc.array(stateDiffs, { maxLength: 3 }), (older, newer) => {
        expect(mergeDiffs([mergeDiffs(older), mergeDiffs(newer)])).toEqual(mergeDiffs([...older, ...newer]))
      }),
    )
  })

  it('is the empty diff for no diffs', () => {
    expect(mergeDiffs([])).toEqual(emptyDiff())
  })
})
