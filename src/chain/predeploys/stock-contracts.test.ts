import { expect, test } from 'vitest'
import { deployStocks } from '../../../test/support/stock-deployment.ts'

test("the genesis contains the results of the stocks' constructors and initialisers", async () => {
  await expect(await deployStocks()).toMatchFileSnapshot('stock-contracts.json')
})
