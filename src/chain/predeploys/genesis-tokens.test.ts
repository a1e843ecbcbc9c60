import { expect, test } from 'vitest'
import { createNativeStocks } from '../../../test/support/native-stocks.ts'
import { ZERO_ADDRESS } from '../../primitives/hex.ts'
import { activationRegistry } from './genesis-tokens.ts'

test("the genesis contains the storage that the factory's creations of the demonstration stocks leave", async () => {
  await expect(await createNativeStocks()).toMatchFileSnapshot('genesis-tokens.json')
})

test('the activation registry has active features in the slots of Base', () => {
  // Values from Foundry's tests, which write the same namespace (crates/evm/networks).
  expect([...activationRegistry(ZERO_ADDRESS).storage.keys()].sort()).toEqual([
    '0x819420403a306232adb8ee78d9f35b5090371155b34376cf9b020e30029278e5',
    '0x8c5327ddcca092db72284503162323c6e8d392394b1d5c71991227bbc26f7c07',
    '0xca7c276524c5aeaac4d56c8a3d36eb5f9a64f60841fb65b539c99c21ca7df109',
  ])
})
