import { expect, test } from 'vitest'
import { createNativeStocks } from '../../../test/support/native-stocks.ts'

test("the genesis contains the storage that the factory's creations of the demonstration stocks leave", async () => {
  await expect(await createNativeStocks()).toMatchFileSnapshot('genesis-tokens.json')
})
