import { expect, test } from 'vitest'
import type { Fork } from '../forks/forks.ts'
import { blockReward } from './block-reward.ts'

test.each<[Fork, bigint]>([
  ['frontier', 5n],
  ['spuriousDragon', 5n],
  ['byzantium', 3n],
  ['constantinople', 2n],
  ['grayGlacier', 2n],
  ['paris', 0n],
  ['prague', 0n],
])('the reward in %s is %s ether', (fork, ether) => {
  expect(blockReward(fork)).toBe(ether * 10n ** 18n)
})
