import { expect, test } from 'vitest'
import { deployStocks } from '../../../test/support/stock-deployment.ts'

test('the genesis holds what the constructors and initialisers of the stocks leave behind', async () => {
  await expect(await deployStocks()).toMatchFileSnapshot('stock-contracts.json')
})
