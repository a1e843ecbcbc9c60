import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { ECHO, type EchoRpc, requestServer, startEcho } from '../../test/support/echo-server.ts'
import type { RpcClient } from '../rpc/protocol/rpc-client.ts'

test("every response has a request id, the client's if it is valid", async () => {
  const named = await startEcho({ requestIdPrefix: '4f2a' })
  const nameOf = async (options: Omit<Parameters<typeof requestServer>[0], 'port'>) =>
    (await requestServer({ port: named.port, body: '{}', ...options })).headers['x-request-id']
  expect(await nameOf({ headers: { 'x-request-id': 'mine.1' } })).toBe('mine.1')
  expect(await nameOf({ headers: { 'x-request-id': 'not mine' } })).toBe('4f2a-1')
  expect(await nameOf({ path: '/v1/anything' })).toBe('4f2a-2')
  expect(await nameOf({ headers: { host: 'evil.example' } })).toBe('4f2a-3')
  const socket = new WebSocket(`ws://127.0.0.1:${named.port}`, { headers: { 'x-request-id': 'mine.2' } })
  const [response] = await once(socket, 'upgrade')
  expect(response.headers['x-request-id']).toBe('mine.2')
  socket.terminate()
  await named.close()
})

test('an address above its rate limit gets 429 with Retry-After over HTTP, REST and WebSocket handshakes', async () => {
  const rejected: number[] = []
  const charging: EchoRpc = {
    ...ECHO,
    handle: async (text, client) => (client.charge(Number(text)) === 0 ? 'served' : 'refused'),
  }
  const limited = await startEcho(
    { rateLimit: { rate: 1, burst: 100 } },
    { rpc: charging, monitor: { rejected: (status) => rejected.push(status), dropped: () => undefined } },
  )
  const { port } = limited
  expect(await requestServer({ port, body: '50' })).toMatchObject({ status: 200, body: 'served' })
  expect(await requestServer({ port, body: '60' })).toMatchObject({ status: 200, body: 'served' })
  const refused = await requestServer({ port, body: '1' })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(5)
  expect(JSON.parse(refused.body)).toMatchObject({ id: null, error: { code: -32005 } })
  expect(await requestServer({ port, method: 'GET', path: '/v1/x' })).toMatchObject({
    status: 429,
    body: expect.stringContaining('"code":8'),
  })
  const [error] = await once(new WebSocket(`ws://127.0.0.1:${port}`), 'error')
  expect(String(error)).toContain('429')
  expect(rejected).toEqual([429, 429, 429])
  await limited.close()
})

test('a rate-limited batch has Retry-After, and status 429 unless a part of it was served', async () => {
  const charging: EchoRpc = {
    ...ECHO,
    handle: async (text, client) => {
      for (const cost of text.split(',')) client.charge(Number(cost))
      return 'answered'
    },
  }
  const limited = await startEcho({ rateLimit: { rate: 1, burst: 10 } }, { rpc: charging })
  const { port } = limited
  const partly = await requestServer({ port, body: '5,50,1,1' })
  expect(partly.status).toBe(200)
  const wholly = await requestServer({ port, body: '1' })
  expect(wholly.status).toBe(429)
  for (const { headers } of [partly, wholly]) expect(Number(headers['retry-after'])).toBeGreaterThan(40)
  await limited.close()
})

test('isGone() is true after the client has disconnected', async () => {
  let client: RpcClient | undefined
  let goOn = () => {}
  const begun = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const rpc: EchoRpc = {
    ...ECHO,
    handle: (_, who) => {
      client = who
      goOn()
      return new Promise(() => {})
    },
  }
  const slow = await startEcho({ limits: { closeGraceMs: 50 } }, { rpc })
  const socket = connect(slow.port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}')
  await begun
  expect(client!.isGone()).toBe(false)
  socket.destroy()
  while (!client!.isGone()) await new Promise((resolve) => setImmediate(resolve))
  await slow.close()
})

test('a separate list of origins applies to WebSockets', async () => {
  const options = { allowedOrigins: ['https://a.example'], socketOrigins: ['https://b.example'] }
  const listed = await startEcho(options)
  const outcome = async (origin: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${listed.port}`, { origin })
    const opened = await new Promise((resolve) => {
      socket.once('open', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.terminate()
    return opened
  }
  expect([await outcome('https://a.example'), await outcome('https://b.example')]).toEqual([false, true])
  await listed.close()
})

test('serves operations pages before REST', async () => {
  const operations = new Map([['/health', () => ({ status: 200, headers: {}, body: 'live' })]])
  const operated = await startEcho({}, { rpc: ECHO, operations })
  const { port } = operated
  expect(await requestServer({ port, method: 'GET', path: '/health?x' })).toMatchObject({ status: 200, body: 'live' })
  expect((await requestServer({ port, method: 'GET', path: '/healthy' })).status).toBe(418)
  expect(
    (await requestServer({ port, method: 'GET', path: '/health', headers: { host: 'evil.example' } })).status,
  ).toBe(403)
  await operated.close()
})

test('the limit of unread data per connection shrinks as connections are added', async () => {
  const dropped: string[] = []
  const monitor = { rejected: () => undefined, dropped: (reason: string) => dropped.push(reason) }
  const shared = await startEcho({ limits: { maxUnreadBytes: 64 * 1024 * 1024 } }, { rpc: ECHO, monitor })
  const sockets = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${shared.port}`)
      await once(socket, 'open')
      return socket
    }),
  )
  sockets[0]!.send('flood')
  const [code, reason] = await once(sockets[0]!, 'close')
  expect([code, String(reason)]).toEqual([1013, 'too slow: messages were not read'])
  expect(dropped).toEqual(['slow'])
  await shared.close()
})

test('accepts an absolute URL as request target, whose host replaces the Host header', async () => {
  const server = await startEcho({ allowedHosts: ['node.example'] })
  const { port } = server
  const request = (path: string, host = 'localhost', method = 'POST') =>
    requestServer({ port, method, path, headers: { host }, body: method === 'POST' ? '{}' : '' })
  expect(await request('http://localhost:8545/')).toMatchObject({ status: 200, body: '{}' })
  expect(await request('HTTP://node.example')).toMatchObject({ status: 200, body: '{}' })
  expect(await request('http://localhost/v1/x?y', 'localhost', 'GET')).toMatchObject({ status: 418, body: '/v1/x?y' })
  expect(await request('http://localhost?y')).toMatchObject({ status: 200, body: '{}' })
  expect((await request('http://evil.example/')).status).toBe(403)
  expect((await request('http://evil.example@localhost/')).status).toBe(400)
  expect((await request('http:///')).status).toBe(400)
  expect((await request('http://localhost/', 'evil.example')).status).toBe(200)
  await server.close()
})

test('closes the connection of a refused WebSocket even if its client does not', async () => {
  const server = await startEcho()
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  socket.write('GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  let text = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) text += chunk
  expect(text).toMatch(/^HTTP\/1.1 404/)
  while (server.connections > 0) await new Promise((resolve) => setImmediate(resolve))
  await server.close()
  socket.destroy()
})
