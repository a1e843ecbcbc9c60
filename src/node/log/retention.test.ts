import { expect, test } from 'vitest'
import { firstNeededRecord } from './retention.ts'

const sealed = [10, 11, 12, 13, 14].map((number) => ({ number, firstSequence: number * 100 }))

test.each([
  ['nothing sealed: everything', { sealed: [], stored: 0, replayBlocks: 64, poolCheckpoint: 5 }, 0],
  ['a block that the store lacks', { sealed, stored: 11, replayBlocks: 1, poolCheckpoint: 9_999 }, 1_200],
  ['the replay window', { sealed, stored: 14, replayBlocks: 3, poolCheckpoint: 9_999 }, 1_200],
  ['a waiting transaction', { sealed, stored: 14, replayBlocks: 1, poolCheckpoint: 7 }, 7],
  ['a window longer than the log', { sealed, stored: 14, replayBlocks: 64, poolCheckpoint: 9_999 }, 1_000],
])('retains records from the first one of %s', (_, input, first) => {
  expect(firstNeededRecord(input)).toBe(first)
})
