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

  expect(block.hash).toBe('0x2435b6959c3cba6fffad5a7c4b1a3c6591715e3c52a17cbd8f66df334d1af63e')
})

test.each([
  ['the main network', {}, '0xf4fa5f3bef30bf93e77845cd2f7c2cae488fc04efae628894bafb80840954b2a'],
  ['the test network', { name: 'test' }, '0xeb4f0e540944772e41fe8ed3181095c7155c08066b95ad5592a2a4750c386141'],
  ['Karst', { upgrade: 'karst' }, '0x74c453310b12052ba1897e08761828e56a27efa6da298c2c4fda1ff78d01e8ab'],
  ['Cobalt', { upgrade: 'cobalt' }, '0x53e1bce5a2b9ef6c2579304d5ca90cf94219c6ea86b1894d542bec19655c14f7'],
  ['Denim', { upgrade: 'denim' }, '0xccc9cb2e3ac7ca1ee1e65fd06a9201270dba6f413453b080d40f478f5733742e'],
] as const)('block 0 of %s keeps its hash with the former demonstration stocks', (_, options, hash) => {
  const { block } = buildGenesis(createNetwork({ ...options, demoStocks: 'v1' }).genesis)

  expect(block.hash).toBe(hash)
})
