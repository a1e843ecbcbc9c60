import { afterEach, describe, expect, test } from 'vitest'
import { DEMO_STOCK_OWNER, DEMO_STOCKS, STOCK_MARKET_ADDRESS } from '../../src/chain/predeploys/demo-stocks.ts'
import { JsonRpc } from '../../src/cli/stock/chain/json-rpc.ts'
import { StocksMarket } from '../../src/cli/stocks-market/stocks-market.ts'
import type { StocksMarketMode } from '../../src/flags/development-flags.ts'
import { toQuantity } from '../../src/primitives/quantity.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'

let server: ManualServer
const problems: string[] = []
const announced: string[] = []
afterEach(async () => {
  announced.splice(0)
  await server.stop()
  expect(problems.splice(0)).toEqual([])
})

type Options = Parameters<typeof startManualServer>[1]

/** A node whose block 1 has a time. */
async function startAt(time: string, options: Options = {}): Promise<void> {
  server = await startManualServer({ development: true }, options)
  await server.result('evm_setNextBlockTimestamp', Date.parse(time) / 1_000)
  await server.nextBlock()
}

function marketOf(mode: StocksMarketMode, isLeading = () => true): StocksMarket {
  return new StocksMarket(mode, {
    rpc: new JsonRpc({ url: server.url, timeoutMs: 10_000 }),
    isLeading: async () => isLeading(),
    onTransaction: (hash) => announced.push(hash),
    onProblem: (problem) => problems.push(problem),
  })
}

interface Sent {
  readonly hash: string
  readonly to: string
  readonly input: string
  readonly nonce: string
}

/** The transactions of the newest block, all of them successful. */
async function sealed(): Promise<readonly Sent[]> {
  await server.nextBlock()
  const { transactions } = await server.result<{ readonly transactions: readonly Sent[] }>(
    'eth_getBlockByNumber',
    'latest',
    true,
  )
  const receipts = await server.result<readonly { readonly status: string }[]>('eth_getBlockReceipts', 'latest')
  expect(receipts.map(({ status }) => status)).toEqual(transactions.map(() => '0x1'))
  return transactions
}

// biome-ignore lint/suspicious/noExplicitAny: a body is whatever the test expects.
async function get(path: string): Promise<any> {
  return (await fetch(`${server.url}/v1/tokenized-stocks${path}`)).json()
}

const FEEDS = DEMO_STOCKS.map(({ priceFeed }) => priceFeed.address)

describe('the market of the demonstration stocks', () => {
  test.each([undefined, 'cobalt'] as const)(
    'sets session and prices by transactions, with upgrade %s',
    async (upgrade) => {
      await startAt('2026-01-07T15:00:00Z', { network: { ...(upgrade && { upgrade }) } })
      const market = marketOf('trading-day')

      expect(await market.step()).toBe(true)
      const sent = (await sealed()).filter(({ to }) => [STOCK_MARKET_ADDRESS, ...FEEDS].includes(to))

      expect(sent.map(({ to }) => to)).toEqual([STOCK_MARKET_ADDRESS, ...FEEDS])
      for (const { symbol } of DEMO_STOCKS) {
        const record = await get(`/${symbol}`)
        expect(record).toMatchObject({ market_session: 'regular', nav_price_is_stale: false })
        expect(record.nav_price_updated_at).toMatch(/^2026-01-07T15:00:0[24]Z$/)
      }
    },
  )

  test('decides once a block, and announces the hash of each transaction', async () => {
    await startAt('2026-01-07T15:00:00Z')
    const market = marketOf('stress')

    for (let look = 0; look < 5; look++) await market.step()

    const sent = await sealed()
    expect(sent).toHaveLength(1 + FEEDS.length)
    expect(announced).toEqual(sent.map(({ hash }) => hash))
  })

  test('repeats nothing after a restart whose earlier calls are not in a block yet', async () => {
    await startAt('2026-01-07T15:00:00Z')
    await marketOf('trading-day').step()

    // Another process on the same chain: a restart, or a node that takes over.
    await marketOf('trading-day').step()

    const sent = await sealed()
    expect(sent).toHaveLength(1 + FEEDS.length)
    expect(new Set(sent.map(({ nonce }) => nonce)).size).toBe(sent.length)
  })

  test('sends nothing while another node leads', async () => {
    await startAt('2026-01-07T15:00:00Z')
    let isLeader = false
    const market = marketOf('trading-day', () => isLeader)

    expect(await market.step()).toBe(true)
    expect(await sealed()).toEqual([])
    isLeader = true
    await market.step()
    expect(await sealed()).toHaveLength(1 + FEEDS.length)
  })

  test.each([
    ['that restarts in each block', true],
    ['that runs on', false],
  ])('a process %s goes through a cycle in which every call succeeds and no feed jumps', async (_, restarts) => {
    await startAt('2026-01-07T15:00:00Z')
    let market = marketOf('stress')
    const answers: number[][] = []
    const kinds = new Set<string>()
    for (let block = 0; block < 28; block++) {
      await server.result('evm_increaseTime', 20)
      if (restarts) market = marketOf('stress')
      await market.step()
      for (const { to, input } of await sealed()) kinds.add(`${to} ${input.slice(0, 10)}`)
      const { tokens } = await get('')
      answers.push(tokens.map((token: { readonly nav_price: number }) => token.nav_price))
    }

    const [, , QLBKF, , VIREO] = DEMO_STOCKS
    // announce, setOraclePaused and setSession.
    expect(kinds).toContain(`${QLBKF!.address} 0x595135dd`)
    expect(kinds).toContain(`${VIREO!.address} 0x595135dd`)
    expect([...kinds].some((kind) => kind.endsWith(' 0x0dd9faaf'))).toBe(true)
    expect(await get('/QLBKFd')).toMatchObject({ multiplier: 4 })
    expect(await get('/VIREOd')).toMatchObject({ multiplier: 1.028_517 })
    const { corporate_actions: actions } = await get('/QLBKFd/corporate-actions?from=1')
    expect(actions.map((action: { readonly kind: string }) => action.kind)).toEqual([
      'announced',
      'multiplier',
      'announcement_ended',
    ])
    for (const [index, prices] of answers.entries()) {
      if (index === 0) continue
      // A split halves the price of a share: a feed that forgot the multiplier would jump by half.
      for (const [stock, price] of prices.entries()) expect(price / answers[index - 1]![stock]!).toBeGreaterThan(0.7)
    }
  })

  test('reports after ten blocks that calls are refused, and counts each block once', async () => {
    await startAt('2026-01-07T15:00:00Z')
    const market = marketOf('trading-day')
    // The node refuses transactions that their sender cannot pay.
    await server.result('anvil_setBalance', DEMO_STOCK_OWNER, '0x0')

    const reports: number[] = []
    for (let block = 1; block <= 12; block++) {
      for (let look = 0; look < 3; look++) await market.step()
      reports.push(problems.length)
      await sealed()
    }

    expect(reports).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    expect(problems.splice(0)).toEqual([expect.stringContaining('the node refuses eth_sendRawTransaction')])
  })

  test('sends no second batch while the base fee excludes the first one, and raises the fees of its calls', async () => {
    await startAt('2026-01-07T15:00:00Z')
    const market = marketOf('trading-day')
    await market.step()
    const batch = 1 + FEEDS.length
    const countOf = (tag: string) => server.result<string>('eth_getTransactionCount', DEMO_STOCK_OWNER, tag)
    const [before, pending] = [Number(await countOf('latest')), Number(await countOf('pending'))]
    expect(pending - before).toBe(batch)
    await server.result('anvil_setNextBlockBaseFeePerGas', toQuantity(10n ** 12n))

    const included: number[] = []
    for (let block = 0; block < 2; block++) {
      included.push((await sealed()).length)
      await market.step()
    }
    expect(included).toEqual([0, 0])
    expect(Number(await countOf('pending'))).toBe(pending)

    const nonces: number[] = []
    while (nonces.length < batch) {
      const sent = await sealed()
      nonces.push(...sent.map(({ nonce }) => Number(nonce)))
      await market.step()
      // The step after the last call decides anew.
      if (nonces.length < batch) expect(Number(await countOf('pending'))).toBe(pending)
    }
    expect(nonces).toEqual(Array.from({ length: batch }, (_, index) => before + index))
  })

  test('ends on a chain without a market', async () => {
    await startAt('2026-01-07T15:00:00Z', { network: { demoStocks: 'v1' } })

    expect(await marketOf('calm').step()).toBe(false)

    expect(problems.splice(0)).toEqual(['the chain has no market of demonstration stocks'])
  })
})
