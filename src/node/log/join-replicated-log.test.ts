import { expect, test } from 'vitest'
import { compareLogs, type LogComparer, type LogComparison } from './join-replicated-log.ts'
import type { RecordRange } from './replicated-log.ts'

type Case = readonly [
  what: string,
  own: RecordRange,
  shared: RecordRange | undefined,
  /** The newest record that is the same in both. */
  same: number,
  expected: Partial<LogComparison>,
]

const CASES: readonly Case[] = [
  ['two new ones', { first: 1, last: 0 }, undefined, 0, { kind: 'publish', fork: 0 }],
  ['a new stream', { first: 40, last: 60 }, undefined, 0, { kind: 'publish', fork: 39 }],
  ['a new directory', { first: 1, last: 0 }, { first: 1, last: 9 }, 0, { kind: 'adopt', fork: 0 }],
  [
    'a new directory, and a stream that is cut',
    { first: 1, last: 0 },
    { first: 5, last: 9 },
    0,
    { kind: 'refused', code: 'GAP' },
  ],
  ['the same records', { first: 3, last: 9 }, { first: 1, last: 9 }, 9, { kind: 'publish', fork: 9 }],
  ['a tail here', { first: 3, last: 12 }, { first: 1, last: 9 }, 9, { kind: 'publish', fork: 9 }],
  ['a tail there', { first: 3, last: 9 }, { first: 1, last: 12 }, 9, { kind: 'adopt', fork: 9 }],
  ['another tail there', { first: 3, last: 9 }, { first: 1, last: 9 }, 7, { kind: 'adopt', fork: 7 }],
  ['another, longer tail here', { first: 3, last: 12 }, { first: 1, last: 9 }, 7, { kind: 'adopt', fork: 7 }],
  [
    'a directory that took over a snapshot',
    { first: 6, last: 5 },
    { first: 1, last: 9 },
    0,
    { kind: 'adopt', fork: 5 },
  ],
  ['it begins where this ends', { first: 3, last: 9 }, { first: 10, last: 12 }, 0, { kind: 'adopt', fork: 9 }],
  ['it ends where this begins', { first: 10, last: 12 }, { first: 1, last: 9 }, 0, { kind: 'publish', fork: 9 }],
  ['a gap there', { first: 3, last: 9 }, { first: 11, last: 12 }, 0, { kind: 'refused', code: 'GAP' }],
  ['a gap here', { first: 11, last: 12 }, { first: 1, last: 9 }, 0, { kind: 'refused', code: 'GAP' }],
  ['nothing in common', { first: 3, last: 9 }, { first: 1, last: 9 }, 0, { kind: 'refused', code: 'FORKED' }],
]

test.each(CASES)('%s', async (_, own, shared, same, expected) => {
  for (const acknowledged of [0, same, own.last]) {
    expect(await compareLogs(own, shared, comparisonWith({ same, acknowledged }))).toMatchObject(expected)
  }
})

/** @param same the newest record that is the same in both; `alike`: those after it that are, too, by chance */
function comparisonWith({
  same,
  acknowledged,
  alike = [],
}: {
  readonly same: number
  readonly acknowledged: number
  readonly alike?: readonly number[]
}): LogComparer & { readonly compared: number } {
  let compared = 0
  const isSame = (sequence: number) => {
    compared += 1
    return sequence <= same || alike.includes(sequence)
  }
  return {
    acknowledged,
    isSame: async (sequence) => isSame(sequence),
    sameThrough: async (from, to) => {
      let through = from
      while (through < to && isSame(through + 1)) through += 1
      return through
    },
    get compared() {
      return compared
    },
  }
}

test('records that are the same by chance after the logs parted are given up with those before them', async () => {
  const logs = [
    { first: 1, last: 9 },
    { first: 1, last: 40 },
  ] as const
  const comparison = comparisonWith({ same: 5, acknowledged: 3, alike: [7, 9] })
  expect(await compareLogs(...logs, comparison)).toEqual({ kind: 'adopt', fork: 5 })
})

test('discards the records of a node that died before its first one was published', async () => {
  const comparison = comparisonWith({ same: 0, acknowledged: 0 })
  expect(await compareLogs({ first: 1, last: 2 }, { first: 1, last: 9 }, comparison)).toEqual({
    kind: 'adopt',
    fork: 0,
  })
})

test('a stream that lost its end, or another one, is compared with a few records', async () => {
  const comparison = comparisonWith({ same: 400_000, acknowledged: 999_998 })
  const logs = [
    { first: 1, last: 1_000_000 },
    { first: 1, last: 1_000_000 },
  ] as const
  expect(await compareLogs(...logs, comparison)).toEqual({ kind: 'adopt', fork: 400_000 })
  expect(comparison.compared).toBeLessThan(30)
})
