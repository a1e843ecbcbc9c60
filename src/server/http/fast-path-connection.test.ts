import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import { ECHO, startEcho } from '../../../test/support/echo-server.ts'
import type { RpcClient } from '../../rpc/rpc-client.ts'
import { CoalescedWrites } from '../coalesced-writes.ts'
import type { ServerDeps } from '../create-server.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { NO_MONITOR } from '../monitor.ts'
import type { ChargeCost } from '../rate-limiter.ts'
import { ResponseBudget } from '../response-budget.ts'
import { KEEP_ALIVE_TIMEOUT } from './exchange.ts'
import { FastPathConnection } from './fast-path-connection.ts'
import { type HttpRpc, HttpService } from './http-service.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const post = (body: string, more = '') => `${HEAD}${more}Content-Length: ${body.length}\r\n\r\n${body}`

async function open({ port }: { readonly port: number }): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Everything until the server ends the connection. */
async function rest(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

/** JSON-RPC whose answers come when the test lets them. */
function heldRpc() {
  const held: { text: string; client: RpcClient; goOn: () => void }[] = []
  const answer: NonNullable<ServerDeps['rpc']>['answer'] = (text, client) =>
    new Promise((resolve) => held.push({ text, client, goOn: () => resolve(text) }))
  return { rpc: { ...ECHO, answer }, held }
}

/** Writes of a round that ends when it is told to, on a clock that stands still. */
function heldWrites() {
  const clock = { now: 0 }
  let end = () => {}
  const writes = new CoalescedWrites({
    now: () => clock.now,
    nextRound: (action) => {
      end = action
    },
  })
  return { writes, clock, endRound: () => end() }
}

const AT_ONCE: HttpRpc = { answer: (text) => text }

/** Answers at once, and tells of each text first. */
function telling(tell: (text: string) => void): HttpRpc {
  return {
    answer: (text) => {
      tell(text)
      return text === '"large"' ? 'x'.repeat(20_000) : text
    },
  }
}

/** A connection, its client, and the socket that it reads. */
async function bothSides(
  rpc: HttpRpc,
  {
    charge = () => 0,
    writes = new CoalescedWrites({ now: () => performance.now(), nextRound: setImmediate }),
  }: { readonly charge?: ChargeCost; readonly writes?: CoalescedWrites } = {},
) {
  const limits = DEFAULT_LIMITS
  const log = { error: (details: object) => expect.unreachable(JSON.stringify(details)) }
  const service = new HttpService(
    { limits, allowedHosts: [], allowedOrigins: [], socketOrigins: [] },
    {
      rpc,
      rest: { answer: ({ target }) => ({ status: 418, headers: {}, body: target }) },
      operations: new Map(),
      log,
      monitor: NO_MONITOR,
      budget: new ResponseBudget({ limit: limits.maxUnreadBytes }),
      requestId: () => 'test',
    },
  )
  const listener = createServer({ allowHalfOpen: true })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const client = connect({ port: (listener.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  const [socket] = (await once(listener, 'connection')) as [Socket]
  const handOver = () => expect.unreachable('all requests are plain')
  const connection = new FastPathConnection(limits, { socket, writes, service, charge, log, handOver })
  const close = () => {
    client.destroy()
    socket.destroy()
    listener.close()
  }
  return { client, socket, connection, close }
}

test('a body that does not come in time is 408, and so is a client that says nothing', async () => {
  const hasty = await startEcho({ limits: { headersTimeout: 50, requestTimeout: 50 } })
  const half = await open(hasty)
  half.write(`${HEAD}Content-Length: 9\r\n\r\n{`)
  const silent = await open(hasty)
  const answers = await Promise.all([rest(half), rest(silent)])
  expect(answers.map((text) => text.split('\r\n', 1)[0])).toEqual(Array(2).fill('HTTP/1.1 408 Request Timeout'))
  await hasty.close()
})

test('a shorter time for whole requests is one for their headers too', async () => {
  const hasty = await startEcho({ limits: { requestTimeout: 50 } })
  expect(await rest(await open(hasty))).toMatch(/^HTTP\/1.1 408/)
  await hasty.close()
})

test('408 is not said where the answer to an earlier request belongs', async () => {
  const { rpc, held } = heldRpc()
  const hasty = await startEcho({ limits: { headersTimeout: 50, requestTimeout: 50 } }, { rpc })
  const socket = await open(hasty)
  socket.write(`${post('"a"')}${HEAD}Content-Length: 9\r\n\r\n{`)
  await until(() => held.length === 1)
  expect(await rest(socket)).toBe('')
  await hasty.close()
})

test('a body that ends in its middle is 400', async () => {
  const server = await startEcho()
  const socket = await open(server)
  socket.end(`${HEAD}Content-Length: 9\r\n\r\n{`)
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 400/)
  await server.close()
})

test('a client that half-closes still gets the answer that is on its way', async () => {
  const { rpc, held } = heldRpc()
  const large = 'x'.repeat(20 * 1024 * 1024)
  const answer: typeof rpc.answer = (text, client) => (text === '"large"' ? large : rpc.answer(text, client))
  const { client, socket, close } = await bothSides({ ...rpc, answer })
  client.pause()
  client.write(post('"large"') + post('"late"'))
  await until(() => held.length === 1)
  const ended = once(socket, 'end')
  client.end()
  await ended
  held[0]!.goOn()
  expect((await rest(client)).length).toBeGreaterThan(large.length)
  close()
})

test('small answers to several clients are written when the round is over', async () => {
  const { writes, endRound } = heldWrites()
  const asked: string[] = []
  const rpc = telling((text) => asked.push(text))
  const sides = [await bothSides(rpc, { writes }), await bothSides(rpc, { writes })]
  for (const { client } of sides) client.write(post('"a"'))
  await until(() => asked.length === 2)
  expect(sides.map(({ socket }) => socket.bytesWritten)).toEqual([0, 0])
  endRound()
  for (const { client } of sides) expect(String(await once(client, 'data'))).toMatch(/"a"$/)
  for (const { close } of sides) close()
})

test('a large answer is not held, nor a small one before it', async () => {
  const { writes } = heldWrites()
  const asked: string[] = []
  const rpc = telling((text) => asked.push(text))
  const { client, socket, close } = await bothSides(rpc, { writes })
  client.write(post('"small"'))
  await until(() => asked.length === 1)
  expect(socket.bytesWritten).toBe(0)
  client.write(post('"large"'))
  await until(() => asked.length === 2)
  expect(socket.bytesWritten).toBeGreaterThan(20_000)
  close()
})

test('a held answer is written before the work of a request that comes half a millisecond later', async () => {
  const { writes, clock } = heldWrites()
  const writtenBefore: number[] = []
  const sockets: Socket[] = []
  const rpc = telling(() => writtenBefore.push(sockets[0]!.bytesWritten))
  const sides = [await bothSides(rpc, { writes }), await bothSides(rpc, { writes })]
  sockets.push(sides[0]!.socket)
  sides[0]!.client.write(post('"a"'))
  await until(() => writtenBefore.length === 1)
  clock.now = 0.5
  sides[1]!.client.write(post('"b"'))
  await until(() => writtenBefore.length === 2)
  expect(writtenBefore).toEqual([0, expect.toSatisfy((bytes) => bytes > 0)])
  for (const { close } of sides) close()
})

test('nor does it wait for more than one of several requests that come in one piece', async () => {
  const { writes, clock } = heldWrites()
  const writtenBefore: number[] = []
  const sockets: Socket[] = []
  const rpc = telling((text) => {
    writtenBefore.push(sockets[0]!.bytesWritten)
    if (text === '"b"') clock.now += 1
  })
  const sides = [await bothSides(rpc, { writes }), await bothSides(rpc, { writes })]
  sockets.push(sides[0]!.socket)
  sides[0]!.client.write(post('"a"'))
  await until(() => writtenBefore.length === 1)
  sides[1]!.client.write(post('"b"').repeat(3))
  await until(() => writtenBefore.length === 4)
  expect(writtenBefore.slice(0, 2)).toEqual([0, 0])
  expect(Math.min(...writtenBefore.slice(2))).toBeGreaterThan(0)
  for (const { close } of sides) close()
})

test('a late answer does not wait for the round, though one before it is held', async () => {
  const { writes } = heldWrites()
  const { rpc, held } = heldRpc()
  const answer: typeof rpc.answer = (text, client) => (text === '"late"' ? rpc.answer(text, client) : text)
  const { client, close } = await bothSides({ answer }, { writes })
  client.write(post('"a"') + post('"late"'))
  let received = ''
  client.on('data', (chunk) => {
    received += chunk
  })
  await until(() => held.length === 1)
  expect(received).toBe('')
  held[0]!.goOn()
  await until(() => received.endsWith('"late"'))
  expect(received).toContain('"a"')
  close()
})

test('requests beyond those that are worked on at once are read though the answers before them are held', async () => {
  const { writes, endRound } = heldWrites()
  const { client, close } = await bothSides(AT_ONCE, { writes })
  client.write(Array.from({ length: 40 }, (_, index) => post(`${index}`)).join(''))
  let received = ''
  client.on('data', (chunk) => {
    received += chunk
  })
  const answers = () => received.split('HTTP/1.1 200').length - 1
  await until(() => answers() === 32)
  endRound()
  await until(() => answers() === 40)
  close()
})

test.each(['', 'Connection: close\r\n'])(
  'a held answer is the last one when its connection ends (%s)',
  async (headers) => {
    const { writes, endRound } = heldWrites()
    const asked: string[] = []
    const rpc = telling((text) => asked.push(text))
    const { client, connection, close } = await bothSides(rpc, { writes })
    client.write(post('"a"', headers))
    await until(() => asked.length === 1)
    if (headers === '') connection.end()
    endRound()
    expect(await rest(client)).toMatch(/Connection: close\r\n.*"a"$/s)
    close()
  },
)

test(
  'a client that half-closes right behind its request gets the answer, though it is held for those of ' + 'others',
  async () => {
    const { client, close } = await bothSides(AT_ONCE, heldWrites())
    client.end(post('"a"'))
    expect(await rest(client)).toMatch(/^HTTP\/1.1 200.*"a"$/s)
    close()
  },
)

test('what was answered comes before the 400 to a body that ends in its middle', async () => {
  const { client, close } = await bothSides(AT_ONCE, heldWrites())
  client.end(`${post('"a"')}${HEAD}Content-Length: 9\r\n\r\n{`)
  expect(await rest(client)).toMatch(/^HTTP\/1.1 200.*"a"HTTP\/1.1 400/s)
  close()
})

test('a client that takes long to read an answer is not taken for one that asks nothing', async () => {
  const large = 'x'.repeat(20 * 1024 * 1024)
  const { client, socket, connection, close } = await bothSides({ answer: () => large })
  client.pause()
  client.write(post('"large"'))
  await until(() => socket.writableLength > 0)
  const later = performance.now() + KEEP_ALIVE_TIMEOUT + 1_000
  connection.checkTimeouts(later)
  let read = 0
  client.on('data', (chunk) => {
    read += chunk.length
  })
  client.resume()
  await until(() => (read > large.length && socket.writableLength === 0) || socket.destroyed)
  // From then on it is.
  connection.checkTimeouts(later + KEEP_ALIVE_TIMEOUT - 1_000)
  expect(socket.destroyed).toBe(false)
  connection.checkTimeouts(later + KEEP_ALIVE_TIMEOUT + 1_000)
  expect(socket.destroyed).toBe(true)
  close()
})

test('nothing is worked on behind an answer with which the connection ends', async () => {
  const { rpc, held } = heldRpc()
  const waits = [0, 1_000, 0]
  const { client, close } = await bothSides(rpc, { charge: () => waits.shift()! })
  client.write(post('"a"') + post('"refused"') + post('"b"'))
  await until(() => held.length > 0)
  for (const { goOn } of held) goOn()
  expect([...(await rest(client)).matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '429'])
  expect(held.map(({ text }) => text)).toEqual(['"a"'])
  close()
})

test('a server that is closed leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const server = await startEcho()
    expect(vi.getTimerCount()).toBe(1)
    await server.close()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('closing answers what was read, and ends the connection with the last of it', async () => {
  const { rpc, held } = heldRpc()
  const server = await startEcho({ limits: { closeGrace: 60_000 } }, { rpc })
  const busy = await open(server)
  busy.write(post('"a"') + post('"b"'))
  const idle = await open(server)
  await until(() => held.length === 2)
  const closing = server.close()
  for (const { goOn } of held) goOn()
  const answers = (await rest(busy)).split('HTTP/1.1 200 OK').slice(1)
  expect(answers.map((text) => [/^Connection: .*$/m.exec(text)?.[0].trim(), text.slice(-3)])).toEqual([
    ['Connection: keep-alive', '"a"'],
    ['Connection: close', '"b"'],
  ])
  expect(await rest(idle)).toBe('')
  await closing
})

test('closing lets a body under way come to its end', async () => {
  const server = await startEcho({ limits: { closeGrace: 60_000 } })
  const socket = await open(server)
  socket.write(`${post('"a"')}${HEAD}Content-Length: 3\r\n\r\n"`)
  await once(socket, 'data')
  const closing = server.close()
  socket.write('b"')
  expect(await rest(socket)).toMatch(/Connection: close\r\n.*"b"$/s)
  await closing
})

test('a body that never ends holds up closing no longer than may be', async () => {
  const server = await startEcho({ limits: { closeGrace: 50 } })
  const socket = await open(server)
  socket.write(`${post('"a"')}${HEAD}Content-Length: 3\r\n\r\n"`)
  await once(socket, 'data')
  const closed = rest(socket)
  await server.close()
  await closed.catch(() => undefined)
  expect(socket.destroyed).toBe(true)
})

test('after Connection: close nothing more is read', async () => {
  const texts: string[] = []
  const answer = async (text: string) => {
    texts.push(text)
    return text
  }
  const server = await startEcho({}, { rpc: { ...ECHO, answer } })
  const socket = await open(server)
  socket.write(post('"a"', 'Connection: close\r\n') + post('"b"'))
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 200.*Connection: close\r\n.*"a"$/s)
  expect(texts).toEqual(['"a"'])
  await server.close()
})

test('of requests in one piece no more are worked on at once than may be', async () => {
  const { rpc, held } = heldRpc()
  const server = await startEcho({ limits: { closeGrace: 50 } }, { rpc })
  const socket = await open(server)
  socket.write(Array.from({ length: 40 }, (_, index) => post(`${index}`)).join(''))
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await until(() => held.length === 16)
  // Requests of others come while these wait.
  const other = await open(server)
  other.write(post('"other"'))
  await until(() => held.at(-1)?.text === '"other"')
  expect(held).toHaveLength(17)
  other.destroy()
  for (let index = 0; index < 41; index++) {
    await until(() => held.length > index)
    held[index]!.goOn()
  }
  await until(() => received.split('HTTP/1.1 200 OK').length === 41)
  expect(
    received
      .split('HTTP/1.1 200 OK')
      .map((text) => /\d+$/.exec(text)?.[0])
      .slice(1),
  ).toEqual(Array.from({ length: 40 }, (_, index) => `${index}`))
  socket.destroy()
  await server.close()
})

test('a client that asks and does not read is not read from either, and its connection ends', async () => {
  const asked: string[] = []
  const answer = (text: string) => {
    asked.push(text)
    return 'x'.repeat(1024 * 1024)
  }
  const server = await startEcho({ limits: { writeTimeout: 100 } }, { rpc: { ...ECHO, answer } })
  const socket = await open(server)
  socket.pause()
  for (let count = 0; count < 200; count++) socket.write(post(`${count}`))
  await until(() => asked.length > 0)
  while ((await server.connections()) > 0) await new Promise((resolve) => setImmediate(resolve))
  expect(asked.length).toBeLessThan(40)
  socket.destroy()
  await server.close()
})

test.each([false, true])(
  'answers that wait behind another one are given back when their connection ends (read by Node: %s)',
  async (nodeReadsAll) => {
    let goOn = () => {}
    const going = new Promise<string>((resolve) => {
      goOn = () => resolve('late')
    })
    const large = 'x'.repeat(3 * 1024 * 1024)
    let asked = 0
    const answer = (text: string) => {
      asked += 1
      return text === '"wait"' ? going : large
    }
    const server = await startEcho(
      { nodeReadsAll, limits: { maxUnreadBytes: 4 * 1024 * 1024 } },
      { rpc: { ...ECHO, answer } },
    )
    const socket = await open(server)
    socket.write(post('"wait"') + post('"large"'))
    await until(() => asked === 2)
    socket.destroy()
    while ((await server.connections()) > 0) await new Promise((resolve) => setImmediate(resolve))
    goOn()
    const other = await open(server)
    other.write(post('"large"', 'Connection: close\r\n'))
    expect(await rest(other)).toMatch(/^HTTP\/1.1 200/)
    await server.close()
  },
)

test.each([false, true])(
  'small answers that wait behind another one are bounded together (read by Node: %s)',
  async (nodeReadsAll) => {
    let goOn = () => {}
    const going = new Promise<string>((resolve) => {
      goOn = () => resolve('"late"')
    })
    let asked = 0
    const answer = (text: string) => {
      asked += 1
      return text === '"wait"' ? going : 'x'.repeat(30_000)
    }
    const server = await startEcho({ nodeReadsAll, limits: { maxUnreadBytes: 50_000 } }, { rpc: { ...ECHO, answer } })
    const socket = await open(server)
    socket.write(post('"wait"') + post('"small"').repeat(9) + post('"small"', 'Connection: close\r\n'))
    await until(() => asked === 11)
    goOn()
    const statuses = [...(await rest(socket)).matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)
    // One fits, another one may be had in any case.
    expect(statuses).toEqual(['200', '200', '200', ...Array(8).fill('503')])
    await server.close()
  },
)

test('unread answers of connections that end are given back', async () => {
  const large = 'x'.repeat(3 * 1024 * 1024)
  const rpc = { ...ECHO, answer: (text: string) => (text === '"large"' ? large : text) }
  const server = await startEcho({ limits: { maxUnreadBytes: 16 * 1024 * 1024 } }, { rpc })
  for (let round = 0; round < 10; round++) {
    const socket = await open(server)
    socket.pause()
    socket.write(post('"large"'))
    // It has begun to come.
    await until(() => socket.readableLength > 0 || socket.bytesRead > 0)
    socket.destroy()
  }
  while ((await server.connections()) > 0) await new Promise((resolve) => setImmediate(resolve))
  const socket = await open(server)
  socket.write(post('"large"', 'Connection: close\r\n'))
  expect((await rest(socket)).length).toBeGreaterThan(large.length)
  await server.close()
})

test.each(['h2c', 'websocket'])(
  'an upgrade to %s behind a request that is worked on ends the connection',
  async (protocol) => {
    const { rpc, held } = heldRpc()
    const server = await startEcho({}, { rpc })
    const socket = await open(server)
    // Read by Node, as the other one.
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\n"a"\r\n0\r\n\r\n`)
    await until(() => held.length === 1)
    socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`)
    // Nothing that could be taken for the answer to the first one.
    expect(await rest(socket)).toBe('')
    await until(() => held[0]!.client.isGone())
    held[0]!.goOn()
    await server.close()
  },
)
