import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningNode, startNode } from '../support/running-node.ts'
import { type StockCommands, stockCommands } from '../support/stock-cli.ts'

let node: RunningNode
let stock: StockCommands
beforeAll(async () => {
  node = await startNode({ flashblockInterval: 50 })
  stock = stockCommands(node.urls.rpc)
})
afterAll(() => node.close())

async function restOf(name: string): Promise<{ readonly nav_price: number }> {
  const response = await fetch(`${node.urls.rest}/v1/tokenized-stocks/${name}?block=pending`)
  return (await response.json()) as { readonly nav_price: number }
}

describe('price', () => {
  test('sets the price of a token, which the stock service reads', async () => {
    const { before, after } = await stock.done('price', '123.45', 'HLCYNd')
    expect(before.price).not.toBe('123.45')
    expect(after).toMatchObject({ price: '123.45', frozen: false })
    expect(await restOf('HLCYNd')).toMatchObject({ nav_price: 123.45 })
  })

  test('of a share is multiplied by the multiplier', async () => {
    const { multiplier } = (await stock.done('show', 'OSTGLd')).stock
    const { after } = await stock.done('price', '100', 'OSTGLd', '--share')
    expect(after).toMatchObject({ sharePrice: '100', price: String(100 * Number(multiplier)) })
  })

  test('without a stock is refused with the usage of the command', async () => {
    const { status, errors } = await stock.run('price', 'HLCYNd')
    expect(status).toBe(2)
    expect(errors).toContain("missing required argument 'stock'\n")
    expect(errors).toContain('\nUsage: tickertape stock price <price> <stock> [flags]\n')
  })

  test('a dry run shows the new price and changes nothing', async () => {
    const before = (await restOf('MRDTLd')).nav_price
    const { output } = await stock.run('price', '55', 'MRDTLd', '--dry-run')
    expect(output).toMatch(/^Would set the price of a token of MRDTLd to 55\. Nothing was sent\.\n/)
    expect(output).toMatch(/ {2}price +\S+ of \S+ -> 55 of /)
    expect((await restOf('MRDTLd')).nav_price).toBe(before)
  })

  test('is refused to other accounts, for 0, and for a stock without a feed', async () => {
    const stranger = await stock.refused('price', '1', 'HLCYNd', '--account', '1')
    expect(stranger).toMatchObject({ status: 1, error: 'NotOwner' })
    expect(await stock.refused('price', '0', 'HLCYNd')).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
    const { address } = (await stock.done('create', 'TESTd', 'Test Stock')).after
    const error = await stock.refused('price', '1', address)
    expect(error).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
    expect(error.message).toContain('--feed')
  })
})

describe('show', () => {
  test('has price, freeze and session of the block', async () => {
    const beforehand = (await stock.done('show', 'FJORDd', '--block', '0')).feed
    await stock.done('price', '77.5', 'FJORDd')
    await stock.done('freeze', 'FJORDd')

    const { feed } = await stock.done('show', 'FJORDd')
    const { output } = await stock.run('show', 'FJORDd')

    expect(beforehand).toMatchObject({ updatedAt: '2025-01-01T00:00:00Z', frozen: false, session: 'unknown' })
    expect(feed).toEqual({
      address: '0x5700000000000000000000000000000000000106',
      price: '77.5',
      sharePrice: '77.5',
      updatedAt: expect.stringMatching(/^20\d\d-\S+Z$/),
      frozen: true,
      session: 'unknown',
    })
    expect(output).toMatch(
      /\n {2}price +77\.5 of 20\S+Z\n {2}share price {2}77\.5\n {2}frozen +yes\n {2}session +unknown\n/,
    )
  })

  test('has no price of a stock without a feed', async () => {
    const { address } = (await stock.done('create', 'BAREd', 'Bare Stock')).after
    expect((await stock.done('show', address)).feed).toBeNull()
    expect((await stock.run('show', address)).output).not.toMatch(/price|session/)
  })
})

describe('freeze and resume', () => {
  test('hold the last price until the feed resumes, at a price that reflects the corporate action', async () => {
    await stock.done('price', '80', 'HLCYNd', '--share')
    expect((await stock.done('freeze', 'HLCYNd')).after).toMatchObject({ frozen: true })
    const frozen = await stock.refused('price', '81', 'HLCYNd')
    expect(frozen).toMatchObject({ status: 1, error: 'OraclePaused' })
    expect(frozen.message).toContain('`tickertape stock resume HLCYNd`')
    await stock.done('split', '2:1', 'HLCYNd')
    const { status, output } = await stock.run('resume', 'HLCYNd', '--share-price', '40', '--json')
    const [resumed, priced] = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))

    expect(status).toBe(0)
    expect(resumed.after).toMatchObject({ frozen: false, sharePrice: '80' })
    expect(priced.after).toMatchObject({ frozen: false, sharePrice: '40', price: '80' })
  })

  test('need PAUSER_ROLE of the oracle registry', async () => {
    const error = await stock.refused('freeze', 'MRDTLd', '--account', '1')
    expect(error).toMatchObject({ status: 1, error: 'AccessControlUnauthorizedAccount' })
    expect(error.message).toContain('lacks PAUSER_ROLE of the oracle registry')
  })
})

describe('session', () => {
  test('closes the market, so that feeds hold their prices, and opens it again', async () => {
    const { before, after } = await stock.done('session', 'closed')
    expect([before.session, after.session]).toEqual(['unknown', 'closed'])
    expect(await restOf('MRDTLd')).toMatchObject({ market_session: 'closed' })
    const error = await stock.refused('price', '50', 'MRDTLd')
    expect(error).toMatchObject({ status: 1, error: 'MarketClosed' })
    await stock.done('session', 'regular')
    expect((await stock.done('price', '50', 'MRDTLd')).after).toMatchObject({ price: '50', session: 'regular' })
    expect(await stock.refused('session', 'lunch')).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
  })
})
