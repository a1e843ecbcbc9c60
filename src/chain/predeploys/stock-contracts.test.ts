import { expect, test } from 'vitest'
import { deployStocks } from '../../../test/support/stock-deployment.ts'

test('the genesis holds what constructors and initialisers of the stocks produce', async () => {
  await expect(await deployStocks()).toMatchFileSnapshot('stock-contracts.json')
})
