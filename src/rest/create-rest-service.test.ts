import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ManualNode, READ_LIMITS, startManualNode } from '../../test/support/manual-node.ts'
import { builtReference } from '../../test/support/reference-page.ts'
import { signTransfer } from '../../test/support/transfers.ts'
import { createNetwork } from '../chain/genesis/networks.ts'
import { STOCK_FACTORY_ADDRESS } from '../chain/predeploys/stock-contracts.ts'
import type { View } from '../node/view/view.ts'
import { createRestService, type RestOptions } from './create-rest-service.ts'
import type { RestResponse } from './http/rest-service.ts'
import { NodeSource } from './tokenized-stocks/node-source.ts'

const STOCKS = [1, 2, 3].map((index) => `0x57${index.toString().padStart(38, '0')}`)

let node: ManualNode
beforeEach(async () => {
  node = await startManualNode()
})
afterEach(() => node.node.stop())

/** A source that counts reads. */
function countedService(options: Partial<RestOptions> = {}) {
  const { engine, config } = node.node
  const counter = { opened: 0, views: 0 }
  const counting = {
    ...engine,
    open: (...parameters: Parameters<typeof engine.open>) => {
      counter.opened += 1
      return engine.open(...parameters)
    },
  }
  let known: View | undefined
  const view = () => {
    const now = node.node.view()
    if (now !== known) counter.views += 1
    known = now
    return now
  }
  const source = new NodeSource(READ_LIMITS, {
    node: { config, engine: counting, view },
    genesis: createNetwork().genesis,
    now: () => node.clock.monotonic(),
  })
  const log = { error: (details: object) => expect.unreachable(JSON.stringify(details)), warn: () => undefined }
  const service = createRestService({ chain: 'test', ...options }, { source, log, readReference: builtReference })
  const get = async (target: string): Promise<RestResponse> =>
    service.handle({ method: 'GET', target, id: 'test', header: () => undefined })
  return { counter, get, supply: (stock: string) => get(`/v1/tokenized-stocks/total-supply/${stock}`) }
}

test('reads a token once per sealed block for any number of requests', async () => {
  const { supply, counter } = countedService()
  const first = await supply(STOCKS[0]!)
  expect(first).toMatchObject({ status: 200, body: '1000000' })
  await node.nextFlashblock()
  expect(await Promise.all([supply(STOCKS[0]!), supply(STOCKS[0]!)])).toEqual([first, first])
  expect(counter.opened).toBe(1)
  await node.nextBlock()
  expect((await supply(STOCKS[0]!)).body).toBe('1000000')
  expect(counter.opened).toBe(2)
})

test('reads a list in one view and one session for any number of tokens and requests', async () => {
  const { get, counter } = countedService({ factory: STOCK_FACTORY_ADDRESS })
  const responses = await Promise.all([
    get('/v1/tokenized-stocks'),
    get('/v1/tokenized-stocks'),
    get('/v1/tokenized-stocks'),
  ])
  expect(JSON.parse(String(responses[0]!.body)).tokens).toHaveLength(6)
  expect(responses[1]).toEqual(responses[0])
  expect(counter).toEqual({ opened: 1, views: 1 })
  await node.nextFlashblock()
  expect(await get('/v1/tokenized-stocks')).toEqual(responses[0])
  expect(counter.opened).toBe(1)
})

test('caches a response at pending until a flashblock changes the block, apart from latest', async () => {
  const { supply } = countedService()
  const pending = () => supply(`${STOCKS[0]}?block=pending`)
  const first = await pending()
  expect(await pending()).toBe(first)
  await node.nextFlashblock()
  expect(await pending()).toBe(first)
  const latest = await supply(STOCKS[0]!)
  expect(latest.headers['x-block-hash']).not.toBe(first.headers['x-block-hash'])
  await node.node.submit(signTransfer({ nonce: 0n }).raw)
  await node.nextFlashblock()
  const changed = await pending()
  expect(changed.headers['x-block-hash']).toBe(node.node.view().head.pending.block.hash)
  expect(changed.headers['x-block-hash']).not.toBe(first.headers['x-block-hash'])
  await node.nextBlock()
  expect((await pending()).headers['x-block-number']).toBe('2')
  expect((await supply(STOCKS[0]!)).headers['x-block-hash']).toBe(node.node.view().head.pending.block.header.parentHash)
})

test('responds to an internal failure with code 13 and logs it with the request id', async () => {
  const logged: object[] = []
  const fault = new Error('the disk is gone')
  const source = {
    chainId: 1n,
    latestHash: () => undefined,
    block: () => {
      throw fault
    },
  }
  const log = { error: (details: object) => logged.push(details), warn: () => undefined }
  const service = createRestService({ chain: 'test' }, { source, log, readReference: builtReference })
  const request = { method: 'GET', target: '/v1/tokenized-stocks', id: 'mine', header: () => undefined }
  const { status, body } = await service.handle(request)
  expect(status).toBe(500)
  expect(JSON.parse(String(body))).toEqual({ code: 13, message: 'internal error', details: [] })
  expect(logged).toEqual([{ err: fault, requestId: 'mine', path: '/v1/tokenized-stocks' }])
})

test('caches a limited number of tokens and still serves the others', async () => {
  const { supply, counter } = countedService({ maxCached: 2 })
  for (let round = 0; round < 2; round++) {
    for (const stock of STOCKS) expect((await supply(stock)).status).toBe(200)
  }
  expect(counter.opened).toBe(4)
})

test('a list that has grown after a restart has another entity tag', async () => {
  const etagOf = async (options: Partial<RestOptions>) => {
    const { headers, body } = await countedService(options).get('/v1/tokenized-stocks?block=0x0')
    return { etag: headers.etag, count: JSON.parse(String(body)).tokens.length }
  }
  const before = await etagOf({})
  const after = await etagOf({ factory: STOCK_FACTORY_ADDRESS })
  expect([before.count, after.count]).toEqual([0, 6])
  expect(after.etag).not.toBe(before.etag)
  expect(await etagOf({ factory: STOCK_FACTORY_ADDRESS })).toEqual(after)
})
