import { once } from 'node:events'
import { Server, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startEcho } from '../../../test/support/echo-server.ts'
import {
  AT_ONCE,
  bothSides,
  HEAD,
  heldRpc,
  heldWrites,
  open,
  post,
  rest,
  telling,
  until,
} from '../../../test/support/http-connections.ts'
import { DEFAULT_LIMITS } from '../transport/limits.ts'
import { KEEP_ALIVE_TIMEOUT_MS } from './exchange.ts'

test('a client that sends no complete request in time is refused with 408', async () => {
  const hasty = await startEcho({ limits: { headersTimeoutMs: 50, requestTimeoutMs: 50 } })
  const half = await open(hasty)
  half.write(`${HEAD}Content-Length: 9\r\n\r\n{`)
  const silent = await open(hasty)
  const answers = await Promise.all([rest(half), rest(silent)])
  expect(answers.map((text) => text.split('\r\n', 1)[0])).toEqual(Array(2).fill('HTTP/1.1 408 Request Timeout'))
  await hasty.close()
})

test('the request timeout bounds the headers timeout', async () => {
  const hasty = await startEcho({ limits: { requestTimeoutMs: 50 } })
  expect(await rest(await open(hasty))).toMatch(/^HTTP\/1.1 408/)
  await hasty.close()
})

test('408 follows the response to an earlier request', async () => {
  const { rpc, held } = heldRpc()
  const { client, connection, close } = await bothSides(rpc)
  client.write(`${post('"a"')}${HEAD}Content-Length: 9\r\n\r\n{`)
  await until(() => held.length === 1)

  connection.checkTimeouts(performance.now() + DEFAULT_LIMITS.requestTimeoutMs + 1_000)
  held[0]!.goOn()

  expect(await rest(client)).toMatch(/^HTTP\/1.1 200 .*"a"HTTP\/1.1 408 Request Timeout\r\n.*Connection: close/s)
  close()
})

test('a connection whose client does not close it after the last response is closed', async () => {
  const { client, socket, connection, close } = await bothSides(AT_ONCE)
  client.write(post('"a"', 'Connection: close\r\n'))
  expect(await rest(client)).toMatch(/"a"$/)
  expect(socket.destroyed).toBe(false)

  connection.checkTimeouts(performance.now() + 3_000)

  expect(socket.destroyed).toBe(true)
  close()
})

test('the connection of a half-closed client is closed when its response takes too long', async () => {
  const { rpc, held } = heldRpc()
  const { client, socket, connection, close } = await bothSides(rpc)
  client.end(post('"a"'))
  await until(() => held.length === 1)
  await once(socket, 'end')
  expect(held[0]!.client.isGone()).toBe(false)

  connection.checkTimeouts(performance.now() + DEFAULT_LIMITS.closeGraceMs + 1_000)

  expect(held[0]!.client.isGone()).toBe(true)
  close()
})

test('a body that ends before its length is refused with 400', async () => {
  const server = await startEcho()
  const socket = await open(server)
  socket.end(`${HEAD}Content-Length: 9\r\n\r\n{`)
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 400/)
  await server.close()
})

test('a half-closed client receives the response in flight', async () => {
  const { rpc, held } = heldRpc()
  const large = 'x'.repeat(20 * 1024 * 1024)
  const answer: typeof rpc.handle = (text, client) => (text === '"large"' ? large : rpc.handle(text, client))
  const { client, socket, close } = await bothSides({ ...rpc, handle: answer })
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

test('small responses to several clients are written at the end of the round', async () => {
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

test('a large response and the small one before it are written at once', async () => {
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

test('a held response is written before the work of a request that arrives half a millisecond later', async () => {
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

test('a held response waits for at most one of several requests that arrive in one segment', async () => {
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

test('an asynchronous response is written at once, with the held one before it', async () => {
  const { writes } = heldWrites()
  const { rpc, held } = heldRpc()
  const answer: typeof rpc.handle = (text, client) => (text === '"late"' ? rpc.handle(text, client) : text)
  const { client, close } = await bothSides({ handle: answer }, { writes })
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

test('requests beyond the limit in flight are read while the responses before them are held', async () => {
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

test('earlier responses precede the 400 for an incomplete body', async () => {
  const { client, close } = await bothSides(AT_ONCE, heldWrites())
  client.end(`${post('"a"')}${HEAD}Content-Length: 9\r\n\r\n{`)
  expect(await rest(client)).toMatch(/^HTTP\/1.1 200.*"a"HTTP\/1.1 400/s)
  close()
})

test('a client that reads a response slowly is not idle', async () => {
  const large = 'x'.repeat(20 * 1024 * 1024)
  const { client, socket, connection, close } = await bothSides({ handle: () => large })
  client.pause()
  client.write(post('"large"'))
  await until(() => socket.writableLength > 0)
  const later = performance.now() + KEEP_ALIVE_TIMEOUT_MS + 1_000
  connection.checkTimeouts(later)
  let read = 0
  client.on('data', (chunk) => {
    read += chunk.length
  })
  client.resume()
  await until(() => (read > large.length && socket.writableLength === 0) || socket.destroyed)
  // From then on it is.
  connection.checkTimeouts(later + KEEP_ALIVE_TIMEOUT_MS - 1_000)
  expect(socket.destroyed).toBe(false)
  connection.checkTimeouts(later + KEEP_ALIVE_TIMEOUT_MS + 1_000)
  expect(socket.destroyed).toBe(true)
  close()
})

test('requests behind the last response of a connection are not run', async () => {
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

test('a failed accept is logged, and the listener continues', async () => {
  const listening = vi.spyOn(Server.prototype, 'listen')
  onTestFinished(() => listening.mockRestore())
  const logged: object[] = []
  const server = await startEcho({}, { log: { error: (details) => logged.push(details) } })
  const [listener] = listening.mock.contexts as Server[]
  const errors = ['EMFILE', 'ENFILE', 'ECONNABORTED'].map((code) =>
    Object.assign(new Error(`accept ${code}`), { code }),
  )

  for (const error of errors) listener!.emit('error', error)
  const socket = await open(server)
  socket.write(post('"text"', 'Connection: close\r\n'))

  expect(await rest(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"text"$/)
  expect(logged).toEqual(errors.map((err) => ({ err })))
  await server.close()
})
