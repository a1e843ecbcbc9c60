import { afterEach, beforeEach, expect, test } from 'vitest'
import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import { LATEST } from '../../src/node/view/block-reference.ts'
import type { Hash } from '../../src/primitives/hex.ts'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import type { Registry } from '../../src/rest/tokenized-stocks/registry.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { standaloneService } from '../support/standalone-service.ts'
import { assetParams, encodeCall, idOf } from '../support/stock-chain.ts'

const LIST = '/v1/tokenized-stocks'
const SUPPLY = `${LIST}/total-supply`
const STOCK = '0x5700000000000000000000000000000000000002'
const NO_TOKEN = '0xcA11bde05977b3631167028862bE2a173976CA11'
const OWNER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const NOBODY = `0x${'99'.repeat(20)}`
/** Headers that depend on block and target only. */
const HEADERS = ['etag', 'cache-control', 'content-type', 'x-block-hash', 'x-block-number', 'x-block-timestamp']

let node: ManualServer
beforeEach(async () => {
  node = await startManualServer()
})
afterEach(() => node.stop())

function alone(options: Partial<Parameters<typeof standaloneService>[0]> = {}) {
  return standaloneService({ url: node.url, chain: 'tickertape-test', factory: STOCK_FACTORY_ADDRESS, ...options })
}

async function inside(target: string) {
  const response = await fetch(`${node.url}${target}`)
  const headers = Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)?.replace('-gzip', '')]))
  return { status: response.status, headers, body: await response.text() }
}

const BLOCKS = ['latest', 'pending', 'safe', 'finalized', 'earliest', '0x1', '0x99']
const TARGETS = BLOCKS.flatMap((block) =>
  [`${LIST}?block=${block}`, `${LIST}?exact=true&block=${block}`].concat(
    [STOCK, NO_TOKEN, NOBODY].map((address) => `${SUPPLY}/${address}?block=${block}`),
  ),
)

test('bodies and headers equal those of the service inside the node, at every block', async () => {
  await node.nextBlock()
  await node.send({ nonce: 0n })
  await node.nextFlashblock()
  await node.node.idle()
  const service = alone()
  for (const target of [`${LIST}/chains`, ...TARGETS]) {
    const { status, headers, body } = await service.get(target)
    const shown = Object.fromEntries(HEADERS.map((name) => [name, headers[name]]))
    expect({ target, status, headers: shown, body: String(body) }).toEqual({ target, ...(await inside(target)) })
  }
})

/** Creates a stock that an account can mint, in the open block. */
async function createStock(nonce: bigint): Promise<void> {
  const params = assetParams({ symbol: `N${nonce}d` })
  const grant = encodeCall('grantRole', [idOf('MINT_ROLE'), OWNER])
  const data = hexToBytes(encodeCall('createB20', [0, idOf(`salt ${nonce}`), params, [grant]]))
  await node.send({ nonce, to: STOCK_FACTORY_ADDRESS, value: 0n, data, gasLimit: 2_000_000n })
  await node.nextFlashblock()
}

test('dates of listings equal those of the service inside the node, block by block and in the open block', async () => {
  const service = alone()
  const dates = []
  for (let nonce = 0n; nonce < 3n; nonce++) {
    await createStock(nonce)
    for (const block of ['latest', 'pending', '0x0']) {
      const { body } = await service.get(`${LIST}?block=${block}`)
      expect(String(body)).toBe((await inside(`${LIST}?block=${block}`)).body)
      if (block === 'pending') dates.push(JSON.parse(String(body)).tokens.at(-1).listed_at_block)
    }
    await node.nextBlock()
  }
  expect(dates).toEqual([1, 2, 3])
})

test('lists tokens without a date where the upstream refuses to search its whole chain, and dates later ones', async () => {
  await createStock(0n)
  await node.nextBlock()
  const service = alone({
    fetch: async (url, init) => {
      const calls = JSON.parse(String(init!.body)) as { id: number; method: string; params: { fromBlock?: string }[] }[]
      if (!calls.some(({ method, params }) => method === 'eth_getLogs' && params[0]!.fromBlock === '0x0')) {
        return fetch(url, init)
      }
      const answers = (await (await fetch(url, init)).json()) as { id: number }[]
      const error = { code: -32_602, message: 'query exceeds max block range 1' }
      const isSearch = ({ id }: { id: number }) => calls[id]!.method === 'eth_getLogs'
      return Response.json(
        answers.map((answer) => (isSearch(answer) ? { jsonrpc: '2.0', id: answer.id, error } : answer)),
      )
    },
  })
  const dates = async () => {
    const { body } = await service.get(LIST)
    return JSON.parse(String(body)).tokens.map(({ listed_at_block }: { listed_at_block: number }) => listed_at_block)
  }
  expect(await dates()).toEqual(Array(7).fill(null))

  await createStock(1n)
  await node.nextBlock()

  expect(await dates()).toEqual([...Array(7).fill(null), 2])
})

test('a list of 100 tokens is one batch to the upstream after one lookup of the block, dated by two more', async () => {
  const addresses = Array.from({ length: 100 }, (_, index) => toAddress(`0x57${index.toString(16).padStart(38, '0')}`))
  const tokens = addresses.map((address) => {
    return { address, chainId: undefined, symbol: 'S', name: 'N', isin: 'I', iconUrl: '', navFeed: undefined }
  })
  const registry: Registry = { tokens, lists: 'registered', digest: 'hundred' }
  const service = alone({ registry: () => registry })
  const responses = await Promise.all(Array.from({ length: 10 }, () => service.get(LIST)))
  expect(new Set(responses.map(({ body }) => body)).size).toBe(1)
  // Block 0 has seven of the addresses: six stocks, and the implementation behind them.
  expect(service.sent()).toEqual([
    ['eth_chainId', 'eth_getBlockByNumber'],
    Array(100).fill('eth_call'),
    ['eth_getBlockByNumber', 'eth_getLogs', 'eth_getBlockByNumber'],
    ['eth_chainId', 'eth_getBlockByNumber', 'eth_getBlockByNumber'],
    Array(7).fill('eth_getCode'),
  ])
  await service.get(LIST)
  // The results at this block are cached; the block behind the tag is not.
  expect(service.sent()).toEqual([['eth_chainId', 'eth_getBlockByNumber']])
})

test('a tag is cached for the configured time', async () => {
  const service = alone({ headLifetimeMs: 100, clock: node.clock })
  for (let count = 0; count < 3; count++) expect((await service.get(`${SUPPLY}/${STOCK}`)).body).toBe('2500000.125')
  expect(service.sent()).toHaveLength(2)
  node.clock.moveTo(node.clock.monotonic() + 100)
  await service.get(`${SUPPLY}/${STOCK}`)
  expect(service.sent()).toEqual([['eth_chainId', 'eth_getBlockByNumber']])
})

test('a stalled chain is not reported as current, whatever is cached', async () => {
  await node.nextBlock()
  const { timestamp } = node.node.view().header(LATEST)!
  const clock = new ManualClock({ wall: Number(timestamp) * 1_000 })
  const service = alone({ headLifetimeMs: 60_000, maxStalenessSeconds: 10, clock })
  const at = (block: string) => service.get(`${SUPPLY}/${STOCK}?block=${block}`)
  expect(await at('latest')).toMatchObject({ status: 200, headers: { 'x-block-timestamp': String(timestamp) } })
  clock.moveTo(10_999)
  expect((await at('latest')).status).toBe(200)
  clock.moveTo(11_000)
  for (const tag of ['latest', 'pending', 'safe', 'finalized']) {
    const { status, body } = await at(tag)
    expect(status).toBe(503)
    expect(JSON.parse(String(body))).toMatchObject({
      code: 14,
      message: expect.stringContaining('11 s old, more than 10 (--max-staleness-seconds)'),
      details: [{ reason: 'UPSTREAM_STALE' }],
    })
  }
  // A request for a given block does not depend on the newest one.
  for (const block of ['0x1', 'earliest']) expect((await at(block)).status).toBe(200)
})

test('reads at an open block that a flashblock replaces meanwhile stay at its state, so that no response mixes two blocks', async () => {
  let isReplacing = true
  let lookedUp: Hash | undefined
  const service = alone({
    // A flashblock arrives between the lookup of the open block and the reads at it.
    fetch: async (url, init) => {
      if (isReplacing && String(init!.body).includes('eth_call')) {
        isReplacing = false
        lookedUp = node.node.view().head.pending.block.hash
        await node.send({ nonce: 0n })
        await node.nextFlashblock()
      }
      return fetch(url, init)
    },
  })
  const { status, headers, body } = await service.get(`${SUPPLY}/${STOCK}?block=pending`)
  expect({ status, body }).toEqual({ status: 200, body: '2500000.125' })
  expect(isReplacing).toBe(false)
  expect(lookedUp).not.toBe(node.node.view().head.pending.block.hash)
  expect(headers['x-block-hash']).toBe(lookedUp)
})

test('after a reorganisation between the lookup of the newest block and the reads, all reads are made at the new block', async () => {
  await node.nextBlock()
  await node.nextBlock()
  await node.node.idle()
  const taken = node.node.view().blockHash(LATEST)
  let isReplacing = true
  const service = alone({
    fetch: async (url, init) => {
      if (isReplacing && String(init!.body).includes('eth_call')) {
        isReplacing = false
        expect(await node.node.setHead(1)).toEqual({ kind: 'unwound' })
        const data = hexToBytes(encodeCall('mint', [OWNER, 1_000_000n]))
        await node.send({ nonce: 0n, to: toAddress(STOCK), value: 0n, data, gasLimit: 500_000n })
        await node.nextBlock()
      }
      return fetch(url, init)
    },
  })
  const { status, headers, body } = await service.get(`${SUPPLY}/${STOCK}`)
  expect({ status, body }).toEqual({ status: 200, body: '2500001.125' })
  expect(headers['x-block-hash']).toBe(node.node.view().blockHash(LATEST))
  expect(headers['x-block-number']).toBe('2')
  expect(headers['x-block-hash']).not.toBe(taken)
  expect((await service.get(`${SUPPLY}/${STOCK}?block=${taken}`)).status).toBe(404)
})
