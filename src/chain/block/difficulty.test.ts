import { expect, test } from 'vitest'
import { sealedBlock } from '../../../test/support/sealed-chain.ts'
import { ZERO_HASH } from '../../primitives/hex.ts'
import type { Fork } from '../forks/forks.ts'
import { nextDifficulty } from './difficulty.ts'

const DIFFICULTY = 2n ** 30n
const STEP = DIFFICULTY / 2048n
const { header } = sealedBlock(10).block

test('computes the difficulty of the first block of Ethereum', () => {
  const genesis = { ...header, number: 0, timestamp: 0n, difficulty: 17_179_869_184n }
  expect(nextDifficulty(genesis, 1_438_269_988n, 'frontier')).toBe(17_171_480_576n)
})

test.each<[Fork, seconds: bigint, steps: bigint]>([
  ['frontier', 12n, 1n],
  ['frontier', 13n, -1n],
  ['homestead', 9n, 1n],
  ['homestead', 10n, 0n],
  ['homestead', 35n, -2n],
  ['homestead', 5_000n, -99n],
  ['byzantium', 8n, 1n],
  ['byzantium', 9n, 0n],
  ['london', 27n, -2n],
])('computes the difficulty in %s, %d seconds after the parent', (fork, seconds, steps) => {
  const parent = { ...header, difficulty: DIFFICULTY }
  expect(nextDifficulty(parent, parent.timestamp + seconds, fork)).toBe(DIFFICULTY + steps * STEP)
})

test('counts uncles of the parent from Byzantium on', () => {
  const parent = { ...header, difficulty: DIFFICULTY, sha3Uncles: ZERO_HASH }
  expect(nextDifficulty(parent, parent.timestamp + 9n, 'byzantium')).toBe(DIFFICULTY + STEP)
  expect(nextDifficulty(parent, parent.timestamp + 10n, 'homestead')).toBe(DIFFICULTY)
})

test('never falls below the minimum', () => {
  const parent = { ...header, difficulty: 131_072n }
  expect(nextDifficulty(parent, parent.timestamp + 1_000n, 'london')).toBe(131_072n)
})

test.each<[Fork, number: number, ice: bigint]>([
  ['homestead', 199_999, 1n],
  ['homestead', 299_999, 2n],
  ['byzantium', 299_999, 0n],
  ['byzantium', 3_299_999, 2n],
  ['grayGlacier', 11_599_999, 1n],
])('applies the difficulty bomb in %s after block %d', (fork, number, ice) => {
  const parent = { ...header, number, difficulty: DIFFICULTY }
  expect(nextDifficulty(parent, parent.timestamp + 11n, fork)).toBe(DIFFICULTY + ice)
})
