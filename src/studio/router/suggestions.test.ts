import { describe, expect, test } from 'vitest'
import { stockRecord } from '../../live/stock-list.ts'
import { suggestionsFor } from './suggestions.ts'

const STOCK = `0x57${'0'.repeat(37)}1`
const HASH = `0x${'ab'.repeat(32)}`
const SOURCES = {
  stocks: [
    stockRecord({
      contract_address: STOCK,
      symbol: 'HLCYNd',
      name: 'Halcyon Robotics Demo Stock',
      isin: 'ZZ0000HLCYN8',
    })!,
  ],
  views: [
    { label: 'Live', route: { view: 'live' } },
    { label: 'Pool', route: { view: 'pool' } },
  ],
  methods: [
    { name: 'txpool_status', summary: 'Counts' },
    { name: 'eth_call', summary: 'Calls' },
  ],
  addresses: [{ name: 'Account 1', address: `0x${'70'.repeat(20)}` }],
} as const

const labels = (text: string) => suggestionsFor(text, SOURCES).map(({ label }) => label)

describe('suggestionsFor', () => {
  test.each(['hlcynd', 'HLC', 'robotics', 'zz0000hlcyn8'])('finds a stock by %s', (text) => {
    expect(suggestionsFor(text, SOURCES)[0]).toMatchObject({
      label: 'HLCYNd',
      route: { view: 'stock', address: STOCK },
    })
  })

  test('finds views, methods and accounts by name, the closest first', () => {
    expect(labels('pool')).toEqual(['Pool', 'txpool_status'])
    expect(labels('eth_c')).toEqual(['eth_call'])
    expect(labels('account 1')).toEqual(['Account 1'])
  })

  test('finds a block, a hash and an address by their form', () => {
    expect(suggestionsFor('1,234', SOURCES)[0]?.route).toEqual({ view: 'block', id: '1234' })
    expect(suggestionsFor(HASH, SOURCES)[0]?.route).toEqual({ view: 'transaction', hash: HASH, tab: 'overview' })
    expect(suggestionsFor(STOCK, SOURCES)[0]?.route).toEqual({ view: 'account', address: STOCK, tab: 'overview' })
  })

  test('suggests nothing for an empty text or one that means nothing', () => {
    expect([labels('  '), labels('0xzz')]).toEqual([[], []])
  })

  test('suggests at most ten places', () => {
    const methods = Array.from({ length: 50 }, (_, index) => ({ name: `eth_m${index}`, summary: '' }))
    expect(suggestionsFor('eth_', { ...SOURCES, methods })).toHaveLength(10)
  })
})
