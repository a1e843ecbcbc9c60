import { expect, test } from 'vitest'
import { bigintToHash } from '../../primitives/quantity.ts'
import type { ChainRecord } from '../../state/records/record.ts'
import { alignedHeight } from './store-alignment.ts'

const hash = (fork: number, number: number) => bigintToHash(BigInt(fork * 100 + number))
const seal = (fork: number, number: number): ChainRecord => ({ kind: 'seal', number, hash: hash(fork, number) })
const unwind = (number: number): ChainRecord => ({ kind: 'unwind', number, hash: hash(1, number) })
const numbered = (records: readonly ChainRecord[]) => records.map((record, sequence) => ({ sequence, record }))

test.each<[string, readonly ChainRecord[], readonly number[], number]>([
  ['is the height of the store without an unwind', [seal(1, 1), seal(1, 2)], [1, 1], 2],
  [
    'is the unwound height when the store was not unwound',
    [seal(1, 1), seal(1, 2), seal(1, 3), unwind(1)],
    [1, 1, 1],
    1,
  ],
  [
    'is the unwound height when blocks followed that the store lacks',
    [seal(1, 1), seal(1, 2), unwind(1), seal(2, 2)],
    [1, 1],
    1,
  ],
  ['is the height of a store that was unwound', [seal(1, 1), seal(1, 2), unwind(1), seal(2, 2)], [1], 1],
  ['is the height of a store that has the new blocks', [seal(1, 1), seal(1, 2), unwind(1), seal(2, 2)], [1, 2], 2],
  [
    'handles two unwinds',
    [seal(1, 1), seal(1, 2), unwind(1), seal(2, 2), seal(2, 3), unwind(2), seal(3, 3)],
    [1, 2, 2],
    2,
  ],
])('%s', (_, records, forks, expected) => {
  const stored = (number: number) =>
    number >= 1 && number <= forks.length ? hash(forks[number - 1]!, number) : undefined
  expect(alignedHeight(numbered(records), forks.length, stored)).toBe(expected)
})
