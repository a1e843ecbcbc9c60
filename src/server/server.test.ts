import { on, once } from 'node:events'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type EchoRpc, ECHO as echo, requestServer, startEcho } from '../../test/support/echo-server.ts'
import type { RunningServer } from './create-server.ts'

let server: RunningServer
beforeEach(async () => {
  server = await startEcho({})
})
afterEach(() => server.close())

function request({ port = server.port, ...options }: Partial<Parameters<typeof requestServer>[0]>) {
  return requestServer({ port, ...options })
}

test('a notification gets an empty 200', async () => {
  expect(await request({ body: '{"a":1}' })).toMatchObject({ status: 200, body: '{"a":1}' })
  expect(await request({ body: 'nothing' })).toMatchObject({ status: 200, body: '' })
})

test.each([
  ['application/json; charset=utf-8', 200],
  ['application/json-rpc', 200],
  ['application/jsonrequest', 200],
  ['text/plain', 415],
  ['', 415],
])('responds to content type %j with %i', async (type, status) => {
  expect((await request({ body: '{}', headers: { 'content-type': type } })).status).toBe(status)
})

test.each([
  ['GET', '/', 200],
  ['PUT', '/', 405],
  ['DELETE', '/', 405],
  ['OPTIONS', '/', 405],
  ['POST', '/other', 418],
  ['GET', '/v1/anything?x=1', 418],
])('responds to %s %s with %i', async (method, path, status) => {
  expect((await request({ method, path })).status).toBe(status)
})

test.each(['/v1', '/v1/'])('sends a browser that opens %s to the reference', async (path) => {
  const opened = await request({ method: 'GET', path, headers: { accept: 'text/html' } })

  expect([opened.status, opened.headers.location]).toEqual([302, '/docs'])
  expect(opened.headers['access-control-allow-origin']).toBe('*')
  expect((await request({ method: 'GET', path, headers: { accept: 'application/json' } })).status).toBe(418)
})

test('answers a browser that opens / as any client, where no studio is served', async () => {
  expect((await request({ method: 'GET', headers: { accept: 'text/html' } })).status).toBe(200)
})

test('rejects a body above the limit with 413, by its announced length and while it arrives', async () => {
  const small = await startEcho({ limits: { maxBodyBytes: 100 } })
  const body = 'x'.repeat(101)
  expect((await request({ port: small.port, body: 'x'.repeat(100) })).status).toBe(200)
  expect((await request({ port: small.port, body })).status).toBe(413)
  const socket = connect(small.port, '127.0.0.1')
  socket.write(
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n',
  )
  socket.write(body)
  const [response] = await once(socket, 'data')
  expect(String(response)).toMatch(/^HTTP\/1.1 413/)
  await once(socket, 'close')
  await small.close()
})

test.each([
  ['localhost:8545', 200],
  ['127.0.0.1', 200],
  ['[::1]:8545', 200],
  ['evil.example', 403],
  ['evil.example:8545', 403],
  ['node.example', 200],
])('responds to Host %s with %i', async (host, status) => {
  const named = await startEcho({ allowedHosts: ['node.example'] })
  expect((await request({ port: named.port, body: '{}', headers: { host } })).status).toBe(status)
  await named.close()
})

test('sends CORS headers to allowed origins only', async () => {
  const headers = { origin: 'https://page.example' }
  expect((await request({ body: '{}', headers })).headers['access-control-allow-origin']).toBeUndefined()
  expect(await request({ method: 'OPTIONS', headers })).toMatchObject({
    status: 405,
    body: expect.stringContaining('start it with --cors-origins https://page.example'),
  })
  const open = await startEcho({ allowedOrigins: ['https://page.example'] })
  const allowed = await request({ port: open.port, body: '{}', headers })
  expect(allowed.headers['access-control-allow-origin']).toBe('https://page.example')
  expect((await request({ port: open.port, method: 'OPTIONS', headers })).status).toBe(204)
  await open.close()
})

test('accepts WebSockets on the same port, but not those of other origins and hosts', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}`)
  await once(socket, 'open')
  socket.send('{"a":1}')
  const [data] = await once(socket, 'message')
  expect(String(data)).toBe('{"a":1}')
  for (const headers of [{ origin: 'https://page.example' }, { host: 'evil.example' }]) {
    const refused = new WebSocket(`ws://127.0.0.1:${server.port}`, { headers })
    const [error] = await once(refused, 'error')
    expect(String(error)).toContain('403')
  }
  socket.close()
  await once(socket, 'close')
})

test('a failed handshake does not pass its request id to the next client', async () => {
  const failed = connect(server.port, '127.0.0.1')
  failed.write(
    'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Request-Id: failed\r\n\r\n',
  )
  const [refusal] = await once(failed, 'data')
  expect(String(refusal)).toMatch(/^HTTP\/1.1 400/)
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}`, { headers: { 'x-request-id': 'next' } })
  const [response] = await once(socket, 'upgrade')
  expect(response.headers['x-request-id']).toBe('next')
  socket.close()
  await once(socket, 'close')
})

test('closes the socket of a client that does not read with 1013', async () => {
  const bounded = await startEcho({ limits: { maxQueuedBytes: 100_000 } })
  const socket = new WebSocket(`ws://127.0.0.1:${bounded.port}`)
  await once(socket, 'open')
  socket.send('flood')
  const [code] = await once(socket, 'close')
  expect(code).toBe(1013)
  await bounded.close()
})

test('sends a large response, which is bytes, as a text message', async () => {
  const large = Buffer.from(`"${'é'.repeat(200_000)}"`)
  const connect: EchoRpc['connect'] = (_, { sendBytes }) => ({
    receive: () => sendBytes(large),
    close: () => undefined,
  })
  const server = await startEcho({}, { rpc: { ...echo, connect } })
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}`)
  await once(socket, 'open')
  socket.send('{}')
  const [data, isBinary] = await once(socket, 'message')
  expect(isBinary).toBe(false)
  expect(large.equals(data)).toBe(true)
  socket.close()
  await server.close()
})

test('a message of more fragments than the limit closes the socket with 1008', async () => {
  const small = await startEcho({ limits: { maxFragments: 16 } })
  const socket = new WebSocket(`ws://127.0.0.1:${small.port}`)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  for (let sent = 0; sent < 17; sent++) socket.send(' ', { fin: false })
  const [code] = await closed
  expect(code).toBe(1008)
  await small.close()
})

test('a message above the limit closes the socket with 1009', async () => {
  const small = await startEcho({ limits: { maxBodyBytes: 100 } })
  const socket = new WebSocket(`ws://127.0.0.1:${small.port}`)
  await once(socket, 'open')
  socket.send('x'.repeat(101))
  const [code] = await once(socket, 'close')
  expect(code).toBe(1009)
  await small.close()
})

test('sends a close frame to all sockets and accepts no more', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}`)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  await server.close()
  expect((await closed)[0]).toBe(1001)
  await expect(request({ body: '{}' })).rejects.toThrow('ECONNREFUSED')
})

/** JSON-RPC whose responses are sent on request. */
function slowRpc() {
  let goOn = () => {}
  let begun = () => {}
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const handle = (text: string) =>
    new Promise<string>((resolve) => {
      goOn = () => resolve(text)
      begun()
    })
  const connect = (send: (text: string) => void) => ({
    receive: async (text: string) => send(await handle(text)),
    close: () => undefined,
  })
  return { rpc: { handle, connect }, goOn: () => goOn(), started }
}

test('responds to WebSocket requests in flight, then sends a close frame', async () => {
  const { rpc, goOn, started } = slowRpc()
  const slow = await startEcho({}, { rpc })
  const socket = new WebSocket(`ws://127.0.0.1:${slow.port}`)
  await once(socket, 'open')
  socket.send('"answer me"')
  await started
  const closing = slow.close()
  const message = once(socket, 'message')
  const closed = once(socket, 'close')
  goOn()
  expect(String((await message)[0])).toBe('"answer me"')
  expect((await closed)[0]).toBe(1001)
  await closing
})

test('closes a kept-alive connection with its response in flight', async () => {
  const { rpc, goOn, started } = slowRpc()
  const slow = await startEcho({ limits: { closeGraceMs: 60_000 } }, { rpc })
  const agent = new Agent({ keepAlive: true })
  const response = request({ port: slow.port, body: '{}', agent })
  await started
  const closing = slow.close()
  goOn()
  expect(await response).toMatchObject({ status: 200, body: '{}', headers: { connection: 'close' } })
  await closing
  agent.destroy()
})

test('waits for requests in flight no longer than closeGraceMs', async () => {
  const { rpc, started } = slowRpc()
  const slow = await startEcho({ limits: { closeGraceMs: 50 } }, { rpc })
  const socket = new WebSocket(`ws://127.0.0.1:${slow.port}`)
  await once(socket, 'open')
  socket.send('"never"')
  await started
  const closed = once(socket, 'close')
  await slow.close()
  expect((await closed)[0]).toBe(1001)
})

test('requests waiting for a block do not count against maxInFlight', async () => {
  const waiting = {
    ...echo,
    connect: (send: (text: string) => void, { onWaiting }: Parameters<typeof echo.connect>[1]) => {
      let count = 0
      return {
        receive: (text: string) => {
          if (text !== 'wait') return Promise.resolve(send(text))
          onWaiting(++count)
          return new Promise<void>(() => {})
        },
        close: () => undefined,
      }
    },
  }
  const bounded = await startEcho({ limits: { maxInFlight: 2, closeGraceMs: 50 } }, { rpc: waiting })
  const socket = new WebSocket(`ws://127.0.0.1:${bounded.port}`)
  await once(socket, 'open')
  for (let count = 0; count < 10; count++) socket.send('wait')
  socket.send('others')
  expect(String((await once(socket, 'message'))[0])).toBe('others')
  await bounded.close()
})

test('closes a connection with queued messages above the limit with 1013', async () => {
  const overflowing = {
    ...echo,
    connect: (_: (text: string) => void, { onOverflow }: Parameters<typeof echo.connect>[1]) => ({
      receive: async () => onOverflow(),
      close: () => undefined,
    }),
  }
  const bounded = await startEcho({}, { rpc: overflowing })
  const socket = new WebSocket(`ws://127.0.0.1:${bounded.port}`)
  await once(socket, 'open')
  socket.send('x')
  expect((await once(socket, 'close'))[0]).toBe(1013)
  await bounded.close()
})

test('refuses connections above the limit', async () => {
  const bounded = await startEcho({ limits: { maxConnections: 1 } })
  const first = connect(bounded.port, '127.0.0.1')
  await once(first, 'connect')
  await expect(request({ port: bounded.port, body: '{}' })).rejects.toThrow()
  first.destroy()
  await once(first, 'close')
  await bounded.close()
})

test("refuses a WebSocket above --max-sockets with 503 and the flag's name", async () => {
  const bounded = await startEcho({ limits: { maxSockets: 1 } })
  const first = new WebSocket(`ws://127.0.0.1:${bounded.port}`)
  await once(first, 'open')
  const second = new WebSocket(`ws://127.0.0.1:${bounded.port}`)
  const [, response] = await once(second, 'unexpected-response')
  expect(response.statusCode).toBe(503)
  const { error } = JSON.parse(Buffer.concat(await response.toArray()).toString())
  expect(error).toContain('--max-sockets')
  first.close()
  await once(first, 'close')
  await bounded.close()
})

test('closes a connection whose request times out', async () => {
  const shortTimeouts = await startEcho({ limits: { headersTimeoutMs: 50, requestTimeoutMs: 100 } })
  const socket = connect(shortTimeouts.port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\n')
  const [response] = await once(socket, 'data')
  expect(String(response)).toMatch(/^HTTP\/1.1 408/)
  await once(socket, 'close')
  await shortTimeouts.close()
})

const MEBIBYTE = 1024 * 1024

test('closes a connection whose response is not read', async () => {
  const shortTimeouts = await startEcho({
    limits: { maxBodyBytes: 64 * MEBIBYTE, writeTimeoutMs: 100, closeGraceMs: 600_000 },
  })
  const socket = connect(shortTimeouts.port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.pause()
  const body = Buffer.alloc(48 * MEBIBYTE, 'x')
  socket.write(
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  await new Promise((resolve) => socket.write(body, resolve))
  // Otherwise the server would wait for the client to read the response.
  await shortTimeouts.close()
  socket.destroy()
})

test('limits unread responses of all connections together, but always sends a small one', async () => {
  const bounded = await startEcho({ limits: { maxUnreadBytes: 100_000 } })
  const large = await request({ port: bounded.port, body: 'x'.repeat(200_000) })
  expect(large).toMatchObject({ status: 503, body: expect.stringContaining('too many unread answers') })
  expect((await request({ port: bounded.port, body: 'x'.repeat(50_000) })).status).toBe(200)
  expect((await request({ port: bounded.port, body: 'x'.repeat(90_000) })).status).toBe(200)
  const socket = new WebSocket(`ws://127.0.0.1:${bounded.port}`)
  await once(socket, 'open')
  socket.send('x'.repeat(200_000))
  const [code, reason] = await once(socket, 'close')
  expect([code, String(reason)]).toEqual([1013, 'the node has too many unread answers'])
  await bounded.close()
})

test.each([
  ['HTTP/2', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n'],
  ['something', 'Connection: upgrade\r\nUpgrade: something\r\n'],
])('serves a POST with an upgrade to %s over HTTP/1.1, and keeps the connection', async (_, headers) => {
  const socket = connect(server.port, '127.0.0.1')
  const post = (more: string, body: string) =>
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}Content-Length: ` +
    `${body.length}\r\n\r\n`
  const answered = async (text: string) => {
    let received = ''
    for await (const [chunk] of on(socket, 'data')) {
      received += chunk
      if (received.endsWith(text)) return received
    }
    return received
  }
  const first = answered('{"a":1}')
  // The body comes in two parts, one with the headers.
  socket.write(`${post(headers, '{"a":1}')}{"a"`)
  socket.write(':1}')
  expect(await first).toMatch(/^HTTP\/1.1 200/)
  const second = answered('{"b":2}')
  socket.write(`${post('', '{"b":2}')}{"b":2}`)
  expect(await second).toMatch(/^HTTP\/1.1 200/)
  socket.destroy()
})

test('repeated h2c upgrade requests leak no listeners', async () => {
  const warnings: unknown[] = []
  const listener = (warning: unknown) => warnings.push(warning)
  process.on('warning', listener)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = {
    connection: 'Upgrade, HTTP2-Settings',
    upgrade: 'h2c',
    'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
  }
  for (let count = 0; count < 15; count++) expect((await request({ body: '{}', headers, agent })).status).toBe(200)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', listener)
  agent.destroy()
  expect(warnings).toEqual([])
})

test('rejects a port in use with EADDRINUSE', async () => {
  await expect(startEcho({ port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
