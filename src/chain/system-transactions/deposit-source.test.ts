import { describe, expect, it } from 'vitest'
import { toHash } from '../../primitives/hex.ts'
import { baseTimeSource, l1AttributesSource, upgradeDepositSource, userDepositSource } from './deposit-source.ts'

const L1_BLOCK = toHash('0xc00e5d67c2755389aded7d8b151cbd5bcdf7ed275ad5e028b664880fc7581c77')

describe('source hashes of deposits', () => {
  it.each([
    [
      'L1 attributes',
      l1AttributesSource(L1_BLOCK, 4n),
      '0x0586c503340591999b8b38bc9834bb16aec7d5bc00eb5587ab139c9ddab81977',
    ],
    ['a user', userDepositSource(L1_BLOCK, 7n), '0x500fb1d5456e81392f7ed745e9660323ecb62f42bf4f90afa8b69ce024499666'],
    [
      'an upgrade',
      upgradeDepositSource('Jovian: L1Block Deployment'),
      '0x98faf23b9795967bc0b1c543144739d50dba3ea40420e77ad6ca9848dbfb62e8',
    ],
    ['BaseTime', baseTimeSource(9n), '0x821a03cf41d4197c4b19f8f5cf89774b6771d14a189bf35f29b2775453bb5d7d'],
  ])('of %s', (_, got, expected) => {
    expect(got).toBe(expected)
  })
})
