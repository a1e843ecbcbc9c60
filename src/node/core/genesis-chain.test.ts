import { expect, test } from 'vitest'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { buildGenesis } from './genesis-chain.ts'

test.each(['isthmus', 'jovian', 'denim'] as const)(
  'block 0 of a chain with %s has the storage root of the deployed message passer',
  (upgrade) => {
    const { block } = buildGenesis(createNetwork({ upgrade }).genesis)

    expect(block.header.withdrawalsRoot).toBe('0x8ed4baae3a927be3dea54996b4d5899f8c01e7594bf50b17dc1e741388ce3d12')
  },
)

test('block 0 of the default network keeps its hash', () => {
  const { block } = buildGenesis(createNetwork().genesis)

  expect(block.hash).toBe('0xf4fa5f3bef30bf93e77845cd2f7c2cae488fc04efae628894bafb80840954b2a')
})
