import { expect, test } from 'vitest'
import { bigintToHash } from '../../primitives/quantity.ts'
import type { ChainRecord } from '../../state/record.ts'
import { alignedHeight } from './store-alignment.ts'

const hash = (fork: number, number: number) => bigintToHash(BigInt(fork * 100 + number))
const seal = (fork: number, number: number): ChainRecord => ({ kind: 'seal', number, hash: hash(fork, number) })
const unwind = (number: number): ChainRecord => ({ kind: 'unwind', number, hash: hash(1, number) })
const numbered = (records: readonly ChainRecord[]) => records.map((record, sequence) => ({ sequence, record }))

test.each<[string, readonly ChainRecord[], readonly number[], number]>([
  ['no unwinding: what the store has', [seal(1, 1), seal(1, 2)], [1, 1], 2],
  ['the store was not unwound yet', [seal(1, 1), seal(1, 2), seal(1, 3), unwind(1)], [1, 1, 1], 1],
  ['nor when new blocks followed', [seal(1, 1), seal(1, 2), unwind(1), seal(2, 2)], [1, 1], 1],
  ['the store was unwound and is behind', [seal(1, 1), seal(1, 2), unwind(1), seal(2, 2)], [1], 1],
  ['the store was unwound and has the new blocks', [seal(1, 1), seal(1, 2), unwind(1), seal(2, 2)], [1, 2], 2],
  ['twice', [seal(1, 1), seal(1, 2), unwind(1), seal(2, 2), seal(2, 3), unwind(2), seal(3, 3)], [1, 2, 2], 2],
])('%s', (_, records, forks, expected) => {
  const stored = (number: number) =>
    number >= 1 && number <= forks.length ? hash(forks[number - 1]!, number) : undefined
  expect(alignedHeight(numbered(records), forks.length, stored)).toBe(expected)
})
