import { describe, expect, test } from 'vitest'
import { hrefOf, parseRoute, type StudioRoute } from './route.ts'
import { parseSearch } from './search.ts'

const HASH = `0x${'ab'.repeat(32)}`

describe('parseRoute', () => {
  const routes: readonly StudioRoute[] = [
    { view: 'live' },
    { view: 'blocks' },
    { view: 'blocks', from: 120 },
    { view: 'block', id: '12' },
    { view: 'block', id: 'pending', flashblock: 3 },
    { view: 'block', id: HASH },
    { view: 'transaction', hash: HASH, tab: 'overview' },
    { view: 'transaction', hash: HASH, tab: 'calls' },
    { view: 'debug', subject: { kind: 'transaction', hash: HASH } },
    { view: 'debug', subject: { kind: 'transaction', hash: HASH }, step: 1_200 },
    { view: 'debug', subject: { kind: 'call', call: '{"to":"0x12","data":"0x1234"}' } },
    { view: 'debug', subject: { kind: 'call', call: '{"data":"0x00"}', block: '0x1f' }, step: 3 },
    { view: 'account', address: `0x${'ab'.repeat(20)}`, tab: 'overview' },
    { view: 'account', address: `0x${'ab'.repeat(20)}`, tab: 'storage' },
    { view: 'account', address: `0x${'ab'.repeat(20)}`, tab: 'transactions', before: 12 },
    { view: 'stocks' },
    { view: 'stock', address: `0x${'ab'.repeat(20)}`, tab: 'overview' },
    { view: 'stock', address: `0x${'ab'.repeat(20)}`, tab: 'holders' },
    { view: 'pool' },
    { view: 'pool', sender: `0x${'ab'.repeat(20)}` },
    { view: 'control' },
    { view: 'cluster' },
    { view: 'console' },
    { view: 'console', method: 'eth_getBlockByNumber' },
    { view: 'console', method: 'eth_call', params: '[{"to":"0x1","data":"0x?/#&%"}, "latest"]' },
  ]

  test.each(routes.map((route) => [hrefOf(route), route] as const))('reads %s back', (href, route) => {
    expect(parseRoute(href)).toEqual(route)
  })

  test('begins at the live view', () => {
    expect(['', '#', '#/'].map(parseRoute)).toEqual(Array(3).fill({ view: 'live' }))
  })

  test.each([
    '#/nowhere',
    '#/block/zz',
    '#/tx/0x12',
    '#/block/-1',
    '#/block',
    '#/debug/0x12',
    '#/debug',
    '#/debug?call=1',
    '#/debug?call=%7B%7D&block=yesterday',
    '#/account/0x12',
    '#/stock/0x12',
    '#/__proto__',
  ])('takes %s for an unknown place', (href) => {
    expect(parseRoute(href).view).toBe('unknown')
  })

  test('takes no parameters that may hold keys from an address', () => {
    expect(parseRoute('#/console?method=personal_importRawKey&params=%5B%220x12%22%5D')).toEqual({
      view: 'console',
      method: 'personal_importRawKey',
    })
  })

  test('ignores a value that is none', () => {
    expect(parseRoute('#/block/1?flashblock=x')).toEqual({ view: 'block', id: '1' })
    expect(parseRoute(`#/tx/${HASH}?tab=<b>`)).toMatchObject({ tab: 'overview' })
  })
})

describe('parseSearch', () => {
  test.each([
    ['1,234', '1234'],
    [' #7 ', '7'],
    ['0x1f', '31'],
    ['Pending', 'pending'],
  ])('finds a block by %s', (text, id) => {
    expect(parseSearch(text)).toEqual({ kind: 'route', route: { view: 'block', id } })
  })

  test('finds a hash with and without its prefix', () => {
    expect(parseSearch(HASH.toUpperCase().replace('0X', '0x'))).toEqual({ kind: 'hash', hash: HASH })
    expect(parseSearch(HASH.slice(2))).toEqual({ kind: 'hash', hash: HASH })
  })

  test('finds an address, and takes other words for a symbol', () => {
    const address = `0x${'aB'.repeat(20)}`
    expect(parseSearch(address)).toMatchObject({ route: { view: 'account', address: address.toLowerCase() } })
    expect(parseSearch('HLCYNd')).toEqual({ kind: 'symbol', symbol: 'HLCYNd' })
  })

  test.each(['', 'hello world', '0x', '0xzz'])('says what can be searched for instead of %j', (text) => {
    expect(parseSearch(text)).toEqual({ kind: 'nothing', message: expect.stringContaining('block number') })
  })
})
