import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { B20_FACTORY_ADDRESS } from '../../src/chain/b20/addresses.ts'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import { type ForkedNode, startForkedNode } from '../support/forked-node.ts'
import { assetParams, encodeCall, idOf } from '../support/stock-chain.ts'

const HEIGHT = 4

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())

async function start(): Promise<string> {
  upstream.proxy.faults = []
  const forkUrl = upstream.proxy.url
  const node = await createNode({ forkUrl, forkBlockNumber: HEIGHT, noForkCache: true, forkRetries: 0, mining: 'auto' })
  onTestFinished(() => node.close())
  return (await node.listen()).url
}

const list = (url: string, block: string) => fetch(`${url}/v1/tokenized-stocks?block=${block}`)

test('lists stocks at a block below the fork block, by number and by hash', async () => {
  const url = await start()
  const { hash } = (await upstream.node.result('eth_getBlockByNumber', '0x2', false)) as { hash: string }

  for (const reference of ['0x2', hash]) {
    const response = await list(url, reference)
    expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 200 })
  }
  expect((await list(url, `0x${'12'.repeat(32)}`)).status).toBe(404)
})

test('a fork proves the supply from its fork block on, and says where to ask for older proofs', async () => {
  const url = await start()
  const proofAt = async (block: number) => {
    const response = await fetch(`${url}/v1/tokenized-stocks/HLCYNd/supply-proof?block=${block}`)
    return { status: response.status, body: await response.json() }
  }

  expect(await proofAt(HEIGHT)).toMatchObject({ status: 200, body: { block: { number: HEIGHT } } })
  expect(await proofAt(HEIGHT - 1)).toMatchObject({
    status: 400,
    body: {
      code: 9,
      message: `this node has no proofs of blocks below its fork block ${HEIGHT}: ask the node that it forks`,
    },
  })
})

test('answers 503 with the failure of the other node', async () => {
  const url = await start()
  upstream.proxy.faults = Array.from({ length: 100 }, () => 'reset' as const)

  const response = await list(url, '0x2')

  expect(response.status).toBe(503)
  expect(await response.text()).toMatch(/127\.0\.0\.1.* cannot be reached for eth_/)
})

test.each([
  ['Solidity', {}],
  ['native', { profile: 'denim' }],
] as const)(
  'a fork dates %s stocks of its upstream as the upstream does, and its own by its own blocks',
  async (_, profile) => {
    const original = await createNode({ ...profile, mining: 'auto' })
    onTestFinished(() => original.close())
    await createStock(original, 'OLDd')
    await original.request({ method: 'evm_mine', params: [] })
    const { url: forkUrl } = await original.listen()
    const expected = await tokensOf(forkUrl)
    expect(expected.at(-1)).toMatchObject({ symbol: 'OLDd', listed_at_block: 1, listed_at: expect.any(String) })
    const fork = await createNode({ ...profile, forkUrl, noForkCache: true, mining: 'auto' })
    onTestFinished(() => fork.close())
    const { url } = await fork.listen()
    expect(await tokensOf(url)).toEqual(expected)

    await createStock(fork, 'NEWd')

    const number = Number(await fork.request({ method: 'eth_blockNumber', params: [] }))
    const added = { symbol: 'NEWd', listed_at_block: number }
    expect(await tokensOf(url)).toEqual([...expected, expect.objectContaining(added)])
  },
)

test('a fork lists stocks without dates, after one request of a few seconds, when its upstream does not answer searches of logs', async () => {
  upstream.proxy.faults = []
  upstream.proxy.unanswered = new Set(['eth_getLogs'])
  onTestFinished(() => {
    upstream.proxy.unanswered = new Set()
  })
  const node = await createNode({ forkUrl: upstream.proxy.url, noForkCache: true, mining: 'auto' })
  onTestFinished(() => node.close())
  const { url } = await node.listen()
  const searches = () => upstream.proxy.methods.filter((method) => method === 'eth_getLogs').length
  const before = searches()
  const start = performance.now()

  const tokens = await tokensOf(url)

  expect(performance.now() - start).toBeLessThan(8_000)
  expect(tokens).toHaveLength(6)
  for (const token of tokens) expect(token).toMatchObject({ listed_at_block: null })
  expect(searches() - before).toBe(1)
  await node.request({ method: 'evm_mine', params: [] })
  expect(await tokensOf(url)).toEqual(tokens)
  expect(await (await list(url, '0x2')).json()).toMatchObject({ tokens })
  expect(searches() - before).toBe(1)
}, 30_000)

test.each([
  ['Solidity', {}],
  ['native', { profile: 'denim' }],
] as const)('a fork lists the holders of %s stocks that were created on it, and of no others', async (_, profile) => {
  const original = await createNode({ ...profile, mining: 'auto' })
  onTestFinished(() => original.close())
  await createStock(original, 'OLDd')
  const { url: forkUrl } = await original.listen()
  const fork = await createNode({ ...profile, forkUrl, noForkCache: true, mining: 'auto' })
  onTestFinished(() => fork.close())
  const { url } = await fork.listen()
  await createStock(fork, 'NEWd')
  const { contract_address: to } = (await tokensOf(url)).at(-1) as { readonly contract_address: Hex }
  const [from, holder] = (await fork.request({ method: 'eth_accounts', params: [] })) as Hex[]
  const data = encodeCall('mint', [holder, 7n * 10n ** 18n])
  await fork.request({ method: 'eth_sendTransaction', params: [{ from, to, data, gas: '0x4c4b40' }] })
  const holdersOf = async (symbol: string) => {
    const response = await fetch(`${url}/v1/tokenized-stocks/${symbol}/holders`)
    return { status: response.status, body: await response.json() }
  }

  expect(await holdersOf('NEWd')).toMatchObject({
    status: 200,
    body: { holders: [{ address: holder, balance: 7, share_of_supply: 1 }] },
  })
  for (const symbol of ['OLDd', 'HLCYNd']) {
    expect(await holdersOf(symbol)).toMatchObject({
      status: 400,
      body: { code: 9, message: expect.stringContaining('ask that node for the holders at the fork block') },
    })
  }
})

/** Creates a stock that an account can mint. */
async function createStock(node: TickertapeNode, symbol: string): Promise<void> {
  const [from] = (await node.request({ method: 'eth_accounts', params: [] })) as [Hex]
  const grant = encodeCall('grantRole', [idOf('MINT_ROLE'), from])
  const data = encodeCall('createB20', [0, idOf(symbol), assetParams({ symbol }), [grant]])
  await node.request({
    method: 'eth_sendTransaction',
    params: [{ from, to: B20_FACTORY_ADDRESS, data, gas: '0x4c4b40' }],
  })
}

async function tokensOf(url: string): Promise<readonly object[]> {
  const response = await list(url, 'latest')
  return ((await response.json()) as { readonly tokens: readonly object[] }).tokens
}
