import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { RequestBudget } from '../transport/request-budget.ts'
import { DirectTextSocket } from './direct-text-socket.ts'
import { handshakeRequest } from './handshake-request.ts'
import { meterMessages } from './metered-messages.ts'

const HANDSHAKE = {
  upgrade: 'websocket',
  connection: 'upgrade',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}
const CONTINUATION = 0x0
const TEXT = 0x1
const FINAL = 0x80

/** Frames of one character with a zero mask (RFC 6455, section 5.3), which changes nothing. */
function message(fragments: number, character: string): Buffer {
  const frames = Array.from({ length: fragments }, (_, index) => {
    const opcode = (index === 0 ? TEXT : CONTINUATION) | (index === fragments - 1 ? FINAL : 0)
    return Buffer.from([opcode, 0x81, 0, 0, 0, 0, character.charCodeAt(0)])
  })
  return Buffer.concat(frames)
}

/** Metered sockets with a clock that advances with each reading of it. */
async function metered(count: number, { maxFragments = 0, msPerReading = 0 } = {}) {
  const rounds: (() => void)[] = []
  const requests = new RequestBudget(
    { limit: 2 ** 30 },
    { connections: () => count, nextRound: (action) => void rounds.push(action) },
  )
  const upgrades = new WebSocketServer({ noServer: true, maxFragments, WebSocket: DirectTextSocket })
  const server = createServer({ allowHalfOpen: true }).listen(0)
  await once(server, 'listening')
  let now = 0
  const events: string[] = []
  const open = async (index: number) => {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    // It may go on sending after the node has ended.
    const client = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true })
    client.on('error', () => undefined)
    const [stream] = await accepted
    const deps = { stream, requests, now: () => (now += msPerReading) }
    upgrades.handleUpgrade(handshakeRequest('/', HANDSHAKE), stream, Buffer.alloc(0), (socket) => {
      meterMessages(socket, { requestTimeoutMs: 60_000 }, deps)
      socket.on('message', (data) => events.push(`${index}: ${data}`))
      socket.on('close', (code) => events.push(`${index} closed ${code}`))
      socket.on('error', () => undefined)
    })
    await once(client, 'data')
    client.resume()
    return { client, stream }
  }
  const sockets: Awaited<ReturnType<typeof open>>[] = []
  for (let index = 0; index < count; index++) sockets.push(await open(index))
  onTestFinished(() => {
    for (const { client } of sockets) client.destroy()
    server.close()
  })
  return { sockets, events, nextRound: () => rounds.shift()?.() }
}

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setImmediate(resolve))
}

test('messages of many fragments are read in rounds of the event loop, by the time that they take', async () => {
  const { sockets, events, nextRound } = await metered(4, { msPerReading: 8 })

  for (const [index, { client }] of sockets.entries()) client.end(message(1_000, 'abcd'[index]!))
  await until(() => sockets.every(({ stream }) => stream.bytesRead >= 7_000))
  expect(events).toHaveLength(1)
  for (let before = events.length; before < 4; before = events.length) {
    nextRound()
    expect(events.length - before).toBeLessThanOrEqual(1)
  }

  const texts = ['a', 'b', 'c', 'd'].map((character, index) => `${index}: ${character.repeat(1_000)}`)
  expect([...events].sort()).toEqual(texts)
  nextRound()
  await until(() => sockets.every(({ stream }) => stream.readableEnded))
})

test('a client that sends on after its socket failed is disconnected', async () => {
  const { sockets, events, nextRound } = await metered(1, { maxFragments: 16 })
  const [{ client, stream }] = sockets as [(typeof sockets)[0]]
  const write = () => {
    while (!client.destroyed && client.write(message(10_000, 'x')));
  }

  client.on('drain', write)
  write()
  await until(() => {
    nextRound()
    return stream.destroyed
  })

  expect(stream.bytesRead).toBeGreaterThan(16 * 1024 * 1024)
  await until(() => events.length > 0)
  expect(events).toHaveLength(1)
  expect(events[0]).toMatch(/^0 closed/)
})
