import { once } from 'node:events'
import { brotliDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { requestServer } from '../../../test/support/echo-server.ts'
import { blocksOf, FeedClient } from '../../../test/support/feed-client.ts'
import { deployEmitter, EMITTER, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type ManualServer, startManualServer } from '../../../test/support/manual-server.ts'
import { flashblockMessage } from '../../feed/flashblock-message.ts'
import type { ServerLimits } from '../transport/limits.ts'

let server: ManualServer
beforeEach(async () => {
  server = await startManualServer()
})
afterEach(() => server.stop())

const feedUrl = (query = '', { ws } = server) => `${ws}/feed${query}`

async function bounded(limits: Partial<ServerLimits>): Promise<ManualServer> {
  const started = await startManualServer({}, {}, limits)
  onTestFinished(() => started.stop())
  return started
}

/** Resolves when the node counts this many subscribers: a client learns of its disconnection before the node does. */
async function subscribersAre(count: number, { feed } = server): Promise<void> {
  while (feed.subscribers.text !== count) await new Promise((resolve) => setImmediate(resolve))
}

/** Status and error with which an upgrade is refused. */
async function refusalOf(url: string, headers: Record<string, string> = {}): Promise<readonly [number, string]> {
  const socket = new WebSocket(url, { headers })
  const [, response] = await once(socket, 'unexpected-response')
  const chunks = await response.toArray()
  return [response.statusCode, chunks.length === 0 ? '' : JSON.parse(Buffer.concat(chunks).toString()).error]
}

test('sends messages as text frames, or Brotli-compressed as binary frames', async () => {
  const text = await FeedClient.connect(feedUrl())
  const brotli = await FeedClient.connect(feedUrl('?compression=brotli'))
  await server.send({ nonce: 0n })
  await server.nextFlashblock()
  await Promise.all([text.received(2), brotli.received(2)])
  const { layers } = server.node.view().head.pending
  for (const [index, layer] of layers.entries()) {
    const expected = JSON.stringify(flashblockMessage(layer))
    expect(text.frames[index]!.bytes.toString()).toBe(expected)
    expect(brotliDecompressSync(brotli.frames[index]!.bytes).toString()).toBe(expected)
  }
  expect(text.frames.map(({ isBinary }) => isBinary)).toEqual([false, false])
  expect(brotli.frames.map(({ isBinary }) => isBinary)).toEqual([true, true])
  expect(server.feed.subscribers).toEqual({ text: 1, brotli: 1 })
  await Promise.all([text.close(), brotli.close()])
})

test('a filter selects flashblocks that mention the address or topic, including those of the open block', async () => {
  await deployEmitter(server)
  const early = await FeedClient.connect(feedUrl(`?addresses=${EMITTER}&topics=${topicOf(7)}&match=all`))
  for (const [nonce, topic] of [
    [1n, 6],
    [2n, 7],
  ] as const) {
    await server.result('eth_sendRawTransaction', signEmission(nonce, topicOf(topic)).raw)
    await server.nextFlashblock()
  }
  await server.nextFlashblock()
  const late = await FeedClient.connect(feedUrl(`?addresses=${EMITTER}`))
  await server.result('eth_sendRawTransaction', signEmission(3n, topicOf(7)).raw)
  await server.nextFlashblock()
  await Promise.all([early.received(2), late.received(3)])
  expect(early.flashblocks.map(({ index }) => index)).toEqual([2, 4])
  expect(late.flashblocks.map(({ index }) => index)).toEqual([1, 2, 4])
  await Promise.all([early.close(), late.close()])
})

test('rejects an invalid request with a reason before the handshake', async () => {
  expect(await refusalOf(feedUrl('?compression=gzip'))).toEqual([400, 'compression is none or brotli'])
  expect(await refusalOf(feedUrl(), { origin: 'https://page.example' })).toEqual([403, ''])
  expect(await refusalOf(feedUrl(), { host: 'evil.example' })).toEqual([403, ''])
  expect(await refusalOf(`${server.ws}/feeds`)).toEqual([404, ''])
  expect(server.feed.subscribers).toEqual({ text: 0, brotli: 0 })
})

test('limits feeds per address and in total, and frees the slot of a closed feed', async () => {
  const few = await bounded({ maxFeedSubscribersPerAddress: 2 })
  const clients = [await FeedClient.connect(feedUrl('', few)), await FeedClient.connect(feedUrl('', few))]
  expect(await refusalOf(feedUrl('', few))).toEqual([429, expect.stringContaining('per-address')])
  await clients[0]!.close()
  await subscribersAre(1, few)
  const third = await FeedClient.connect(feedUrl('', few))
  await Promise.all([clients[1]!.close(), third.close()])

  const one = await bounded({ maxFeedSubscribers: 1 })
  const only = await FeedClient.connect(feedUrl('', one))
  expect(await refusalOf(feedUrl('', one))).toEqual([503, expect.stringContaining('--max-feed-subscribers ')])
  const socket = await one.connect()
  expect(await socket.result('eth_chainId')).toBe('0x7a69')
  await only.close()
})

test('pings subscribers and disconnects silent ones', async () => {
  const pinging = await bounded({ pingIntervalMs: 100 })
  const client = await FeedClient.connect(feedUrl('', pinging))
  await once(client.socket, 'ping')
  const silent = new WebSocket(feedUrl('', pinging), { autoPong: false })
  const [code] = await once(silent, 'close')
  expect(code).toBe(1006)
  await subscribersAre(1, pinging)
  await client.close()
})

test('ignores small messages of subscribers and disconnects on large ones with 1009', async () => {
  const client = await FeedClient.connect(feedUrl())
  client.socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
  await server.nextFlashblock()
  await client.received(2)
  expect(blocksOf(client.flashblocks).size).toBe(1)
  client.socket.send('x'.repeat(2_000))
  expect(await client.closed).toBe(1009)
})

test('responds to plain HTTP with 426 and the Upgrade header', async () => {
  const { port } = new URL(server.url)
  const response = await requestServer({ port: Number(port), method: 'GET', path: '/feed?compression=brotli' })
  expect(response).toMatchObject({ status: 426, headers: { upgrade: 'websocket' } })
})

test('sends subscribers a close frame when the node stops', async () => {
  const stopping = await startManualServer()
  const client = await FeedClient.connect(feedUrl('', stopping))
  await Promise.all([stopping.stop(), client.closed])
  expect(await client.closed).toBe(1001)
  await subscribersAre(0, stopping)
})
