import { expect, test } from 'vitest'
import { findJunction, type Junction } from './join-shared-log.ts'
import type { RecordRange } from './shared-log.ts'

type Case = readonly [
  what: string,
  own: RecordRange,
  shared: RecordRange | undefined,
  /** The newest record that is the same in both. */
  same: number,
  expected: Partial<Junction>,
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
  expect(await findJunction(own, shared, async (sequence) => sequence <= same)).toMatchObject(expected)
})
