import { expect, it } from 'vitest'
import { toHash } from '../../primitives/hex.ts'
import { outputRoot } from './output-root.ts'

it('hashes version, state root, withdrawal storage root and block hash in this order', () => {
  const [stateRoot, withdrawalStorageRoot, blockHash] = ['11', '22', '33'].map((byte) => toHash(`0x${byte.repeat(32)}`))
  const output = { stateRoot: stateRoot!, withdrawalStorageRoot: withdrawalStorageRoot!, blockHash: blockHash! }
  expect(outputRoot(output)).toBe('0xd50bf2ff34ced71be0d2f0be7c2433c6b39d9c3b16c95daf1ed6f24b7578a3b2')
})
