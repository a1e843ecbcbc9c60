import { describe, expect, test } from 'vitest'
import { groupedDecimal } from '../../live/amount.ts'
import { readStocks, stockRecord } from '../../live/stock-list.ts'
import { methodDocuments } from './method-document.ts'
import { MAX_POOL_ROWS, poolRows } from './pool-rows.ts'

describe('stocks', () => {
  const record = {
    contract_address: '0xa',
    symbol: '<b>',
    name: 'Halcyon',
    decimals: 18,
    total_supply: 2 ** 77,
    total_supply_exact: '123456789012345678901234.000000000000000001',
    multiplier: 2,
    multiplier_exact: '2',
    paused_features: [0, 9],
    nav_price: 187.42,
    nav_price_exact: '187.42',
    nav_price_updated_at: '2026-01-01T00:00:00Z',
    isin: 'ZZ',
  }
  const service = (status: number, text: string) => ({ read: async () => ({ status, text }) })

  test('keep every digit of the supply', () => {
    const { supply, pausedFeatures, pricedAt } = stockRecord(record)!
    expect(groupedDecimal(supply)).toBe('123,456,789,012,345,678,901,234.000000000000000001')
    expect(pausedFeatures).toEqual(['transfers', 'feature 9'])
    expect(pricedAt).toBe(Date.parse('2026-01-01T00:00:00Z'))
  })

  test('are those of the service, whose refusal is an error with its message', async () => {
    expect(await readStocks(service(200, JSON.stringify({ tokens: [record, null] })))).toHaveLength(1)
    const refused = service(503, '{"code":14,"message":"the chain cannot be read"}')
    await expect(readStocks(refused)).rejects.toMatchObject({ message: 'the chain cannot be read' })
    await expect(readStocks(service(200, '<html>'))).rejects.toMatchObject({ code: 'INVALID_RESPONSE' })
  })

  test.each(['', 'n/a', '1e5', '-0.5'])('text that is no plain decimal stays as it is: %s', (text) => {
    expect(groupedDecimal(text)).toBe(text)
  })
})

describe('poolRows', () => {
  const entry = (from: string, nonce: string) => ({ hash: `0x${from}${nonce}`, from, nonce, value: '0x1' })

  test('are in the order of senders and nonces, as numbers', () => {
    const rows = poolRows({
      pending: { B: { 10: entry('b', '0xa'), 9: entry('b', '0x9') } },
      queued: { A: { 3: entry('a', '0x3') }, B: { 12: entry('b', '0xc') } },
    })
    expect(rows.map(({ from, nonce, state }) => [from, nonce, state])).toEqual([
      ['a', 3n, 'queued'],
      ['b', 9n, 'pending'],
      ['b', 10n, 'pending'],
      ['b', 12n, 'queued'],
    ])
  })

  test('are bounded, and none of anything else', () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, nonce) => [nonce, entry('a', `0x${nonce}`)]))
    expect(poolRows({ pending: { a: many } })).toHaveLength(MAX_POOL_ROWS)
    expect([null, {}, { pending: 5 }, { pending: { a: null } }].map(poolRows)).toEqual([[], [], [], []])
  })
})

test('methodDocuments reads parameters and examples of an OpenRPC document', () => {
  const document = {
    components: { schemas: { Log: { type: 'object' } } },
    methods: [
      { name: 'b_two' },
      {
        name: 'a_one',
        summary: 'First.',
        params: [
          { name: 'block', required: true, schema: { title: 'block tag' } },
          { name: 'kind', schema: { enum: ['x', 'y'] } },
          { name: 'more', schema: { $ref: '#/components/schemas/Log' } },
        ],
        result: { name: 'result', schema: { type: 'boolean' } },
        examples: [{ params: [{ name: 'block', value: 'latest' }] }],
      },
      { summary: 'nameless' },
    ],
  }
  expect(methodDocuments(document)).toEqual([
    {
      name: 'a_one',
      summary: 'First.',
      params: [
        { name: 'block', isRequired: true, type: 'block tag', schema: { title: 'block tag' } },
        { name: 'kind', isRequired: false, type: 'x | y', schema: { enum: ['x', 'y'] } },
        { name: 'more', isRequired: false, type: 'Log', schema: { $ref: '#/components/schemas/Log' } },
      ],
      result: { type: 'boolean' },
      definitions: { Log: { type: 'object' } },
      example: ['latest'],
    },
    expect.objectContaining({ name: 'b_two', summary: '', params: [], result: undefined, example: [] }),
  ])
  expect(methodDocuments(null)).toEqual([])
})
