import { expect, test } from 'vitest'
import { readStocks } from './stock-list.ts'

const ADDRESS = `0x${'57'.repeat(20)}`

test('reads stocks with 0 to 77 decimals, and skips those whose decimals are no such integer', async () => {
  const given = [0, 18, 77, undefined, 78, -1, 1.5, '18', 'many', [], null]
  const tokens = given.map((decimals) => ({ contract_address: ADDRESS, decimals }))
  const stocks = await readStocks({ read: async () => ({ status: 200, text: JSON.stringify({ tokens }) }) })
  // Absent ones and null count as none.
  expect(stocks.map(({ decimals }) => decimals)).toEqual([0, 18, 77, 0, 0])
})
