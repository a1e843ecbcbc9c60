import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { endAll, endLater } from '../../../test/support/replica-scene.ts'
import { sourceOf } from '../../../test/support/replicas.ts'
import { ZERO_HASH } from '../../primitives/hex.ts'
import { encodeText, STREAM_VERSION } from '../messages.ts'

afterEach(endAll)

const IDENTITY = { chainId: 1n, genesisHash: ZERO_HASH }
const HANDSHAKE = encodeText({
  type: 'welcome',
  version: STREAM_VERSION,
  ...IDENTITY,
  settings: { blockTime: 2_000, slots: 10, gasLimit: 1n, finalityDepth: 64 },
  firstSequence: 1,
  newestSequence: 7,
  begins: { kind: 'records', from: 8 },
})

/** A node that sends the handshake, then the messages of the test. */
async function welcoming(): Promise<{ readonly url: string; readonly server: WebSocketServer }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (socket) => socket.once('message', () => socket.send(HANDSHAKE)))
  await once(server, 'listening')
  endLater(async () => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

test('a busy replica reads a queued message before it applies the silence limit', async () => {
  const { url, server } = await welcoming()
  const connected = once(server, 'connection')
  const connection = await sourceOf(url, { silenceLimitMs: 50 }).connect({
    ...IDENTITY,
    cursor: undefined,
    finalized: undefined,
  })
  endLater(async () => connection.close())
  const [socket]: [WebSocket] = (await connected) as never
  socket.send(encodeText({ type: 'newest', sequence: 7, sent: 7 }))
  const end = performance.now() + 100
  while (performance.now() < end);
  expect(await connection.next()).toEqual({ kind: 'newest', sequence: 7, sent: 7 })
})

test('backpressure slows a source that sends many position messages', async () => {
  const { url, server } = await welcoming()
  const connected = once(server, 'connection')
  const hello = { ...IDENTITY, cursor: undefined, finalized: undefined }
  const connection = await sourceOf(url).connect(hello)
  endLater(async () => connection.close())
  const [socket]: [WebSocket] = (await connected) as never
  const text = `${encodeText({ type: 'newest', sequence: 7, sent: 7 })}${' '.repeat(1_000)}`
  const MESSAGES = 20_000
  for (let count = 0; count < MESSAGES; count++) socket.send(text)
  socket.ping()
  let isRead = false
  socket.once('pong', () => {
    isRead = true
  })
  let taken = 0
  for (; !isRead && taken < MESSAGES; taken++) {
    await connection.next()
    await new Promise((resolve) => setImmediate(resolve))
  }
  // Queued messages take eight MiB, plus the data of one read of the socket.
  expect(taken).toBeGreaterThan(MESSAGES - 9_000)
})

test('disconnects a silent source with UNREACHABLE', async () => {
  const { url } = await welcoming()
  const hello = { ...IDENTITY, cursor: undefined, finalized: undefined }
  const connection = await sourceOf(url, { silenceLimitMs: 20 }).connect(hello)
  await expect(connection.next()).rejects.toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining(url) })
})

test.each([
  [
    'is larger than a result may be',
    { type: 'answered', reply: { kind: 'result', sequence: 7, text: 'x'.repeat(2 ** 20) } },
  ],
  ['answers something else', { type: 'submitted', reply: { kind: 'accepted', sequence: 7 } }],
])('an answer to a request that %s is an error', async (_, answer) => {
  const { url, server } = await welcoming()
  const connected = once(server, 'connection')
  const hello = { ...IDENTITY, cursor: undefined, finalized: undefined }
  const connection = await sourceOf(url).connect(hello)
  endLater(async () => connection.close())
  const [socket]: [WebSocket] = (await connected) as never
  socket.on('message', () => socket.send(JSON.stringify({ id: 0, ...answer })))

  const requested = connection.request({ method: 'evm_mine', params: '[]' })

  await expect(requested).rejects.toMatchObject({ code: expect.stringMatching(/OVERSIZED|MALFORMED/) })
})

test.each(['{"type":{"toString":1,"valueOf":1}}', '{"type":"submitted","id":0,"reply":{"kind":{"toString":1}}}'])(
  'a source that sends %s is disconnected with MALFORMED',
  async (text) => {
    const { url, server } = await welcoming()
    const connected = once(server, 'connection')
    const connection = await sourceOf(url).connect({ ...IDENTITY, cursor: undefined, finalized: undefined })
    endLater(async () => connection.close())
    const [socket]: [WebSocket] = (await connected) as never

    socket.send(text)

    await expect(connection.next()).rejects.toMatchObject({ code: 'MALFORMED' })
  },
)
