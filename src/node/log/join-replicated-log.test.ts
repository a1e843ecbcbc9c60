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
  ['publishes when both logs are empty', { first: 1, last: 0 }, undefined, 0, { kind: 'publish', fork: 0 }],
  ['publishes to an empty stream', { first: 40, last: 60 }, undefined, 0, { kind: 'publish', fork: 39 }],
  [
    'adopts the stream in an empty directory',
    { first: 1, last: 0 },
    { first: 1, last: 9 },
    0,
    { kind: 'adopt', fork: 0 },
  ],
  [
    'refuses an empty directory for a truncated stream',
    { first: 1, last: 0 },
    { first: 5, last: 9 },
    0,
    { kind: 'refused', code: 'GAP' },
  ],
  [
    'publishes nothing new for equal logs',
    { first: 3, last: 9 },
    { first: 1, last: 9 },
    9,
    { kind: 'publish', fork: 9 },
  ],
  ['publishes a local tail', { first: 3, last: 12 }, { first: 1, last: 9 }, 9, { kind: 'publish', fork: 9 }],
  ['adopts a tail of the stream', { first: 3, last: 9 }, { first: 1, last: 12 }, 9, { kind: 'adopt', fork: 9 }],
  [
    'adopts a diverging tail of the stream',
    { first: 3, last: 9 },
    { first: 1, last: 9 },
    7,
    { kind: 'adopt', fork: 7 },
  ],
  [
    'adopts a diverging tail even if the local one is longer',
    { first: 3, last: 12 },
    { first: 1, last: 9 },
    7,
    { kind: 'adopt', fork: 7 },
  ],
  [
    'adopts the stream after a restored snapshot',
    { first: 6, last: 5 },
    { first: 1, last: 9 },
    0,
    { kind: 'adopt', fork: 5 },
  ],
  [
    'adopts a stream that starts after the local end',
    { first: 3, last: 9 },
    { first: 10, last: 12 },
    0,
    { kind: 'adopt', fork: 9 },
  ],
  [
    'publishes after a stream that ends before the local start',
    { first: 10, last: 12 },
    { first: 1, last: 9 },
    0,
    { kind: 'publish', fork: 9 },
  ],
  [
    'refuses a gap before the stream',
    { first: 3, last: 9 },
    { first: 11, last: 12 },
    0,
    { kind: 'refused', code: 'GAP' },
  ],
  [
    'refuses a gap before the local log',
    { first: 11, last: 12 },
    { first: 1, last: 9 },
    0,
    { kind: 'refused', code: 'GAP' },
  ],
  [
    'refuses logs without a common record',
    { first: 3, last: 9 },
    { first: 1, last: 9 },
    0,
    { kind: 'refused', code: 'FORKED' },
  ],
]

test.each(CASES)('%s', async (_, own, shared, same, expected) => {
  for (const acknowledged of [0, same, own.last]) {
    expect(await compareLogs(own, shared, comparisonWith({ same, acknowledged }))).toMatchObject(expected)
  }
})

/** @param same the newest common record; `alike`: later records that are equal by chance */
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

test('discards records that match by chance after the point where the logs diverge', async () => {
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

test('finds the last common record of long logs with fewer than 30 comparisons', async () => {
  const comparison = comparisonWith({ same: 400_000, acknowledged: 999_998 })
  const logs = [
    { first: 1, last: 1_000_000 },
    { first: 1, last: 1_000_000 },
  ] as const
  expect(await compareLogs(...logs, comparison)).toEqual({ kind: 'adopt', fork: 400_000 })
  expect(comparison.compared).toBeLessThan(30)
})
