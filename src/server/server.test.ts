import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createServer, type RunningServer, type ServerOptions } from './create-server.ts'

/** Answers a text with itself, so that the transport alone is seen. */
const echo = {
  answer: async (text: string) => (text === 'nothing' ? undefined : text),
  connect: (send: (text: string) => void) => ({
    receive: async (text: string) => {
      if (text === 'flood') for (let count = 0; count < 2_000; count++) send('x'.repeat(10_000))
      else send(text)
    },
    close: () => undefined,
  }),
}

let server: RunningServer
beforeEach(async () => {
  server = await start({})
})
afterEach(() => server.close())

function start(options: Partial<ServerOptions>): Promise<RunningServer> {
  return createServer(
    { host: '127.0.0.1', port: 0, ...options },
    {
      rpc: echo,
      rest: (incoming, response) => response.writeHead(418).end(incoming.url),
      log: { error: (details) => expect.unreachable(JSON.stringify(details)) },
    },
  )
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: NodeJS.Dict<string | string[]>
}

/** By `node:http`, which sets any `Host` and verb. */
function ask(options: {
  readonly port?: number
  readonly method?: string
  readonly path?: string
  readonly body?: string
  readonly headers?: Record<string, string>
}): Promise<Answer> {
  const { port = server.port, method = 'POST', path = '/', body = '' } = options
  const headers = { 'content-type': 'application/json', ...options.headers }
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode!, body: text, headers: response.headers }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

test('POST / is JSON-RPC; what has no answer is an empty 200', async () => {
  expect(await ask({ body: '{"a":1}' })).toMatchObject({ status: 200, body: '{"a":1}' })
  expect(await ask({ body: 'nothing' })).toMatchObject({ status: 200, body: '' })
})

test.each([
  ['application/json; charset=utf-8', 200],
  ['application/json-rpc', 200],
  ['application/jsonrequest', 200],
  ['text/plain', 415],
  ['', 415],
])('content type %j is answered with %i', async (type, status) => {
  expect((await ask({ body: '{}', headers: { 'content-type': type } })).status).toBe(status)
})

test.each([
  ['GET', '/', 200],
  ['PUT', '/', 405],
  ['DELETE', '/', 405],
  ['OPTIONS', '/', 405],
  ['POST', '/other', 404],
  ['GET', '/v1/anything?x=1', 418],
])('%s %s is answered with %i', async (method, path, status) => {
  expect((await ask({ method, path })).status).toBe(status)
})

test('a body above the limit is 413, by its announced length and while it comes', async () => {
  const small = await start({ limits: { maxBodyBytes: 100 } })
  const body = 'x'.repeat(101)
  expect((await ask({ port: small.port, body: 'x'.repeat(100) })).status).toBe(200)
  expect((await ask({ port: small.port, body })).status).toBe(413)
  const socket = connect(small.port, '127.0.0.1')
  socket.write(
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n',
  )
  socket.write(body)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 413/)
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
])('Host %s is answered with %i', async (host, status) => {
  const named = await start({ allowedHosts: ['node.example'] })
  expect((await ask({ port: named.port, body: '{}', headers: { host } })).status).toBe(status)
  await named.close()
})

test('pages of other origins get no CORS headers unless they are allowed', async () => {
  const headers = { origin: 'https://page.example' }
  expect((await ask({ body: '{}', headers })).headers['access-control-allow-origin']).toBeUndefined()
  const open = await start({ allowedOrigins: ['https://page.example'] })
  const allowed = await ask({ port: open.port, body: '{}', headers })
  expect(allowed.headers['access-control-allow-origin']).toBe('https://page.example')
  expect((await ask({ port: open.port, method: 'OPTIONS', headers })).status).toBe(204)
  await open.close()
})

test('the same port takes WebSockets, and refuses those of foreign pages and hosts', async () => {
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

test('a client that does not read is closed with 1013', async () => {
  const bounded = await start({ limits: { maxQueuedBytes: 100_000 } })
  const socket = new WebSocket(`ws://127.0.0.1:${bounded.port}`)
  await once(socket, 'open')
  socket.send('flood')
  const [code] = await once(socket, 'close')
  expect(code).toBe(1013)
  await bounded.close()
})

test('a message above the limit closes the socket with 1009', async () => {
  const small = await start({ limits: { maxBodyBytes: 100 } })
  const socket = new WebSocket(`ws://127.0.0.1:${small.port}`)
  await once(socket, 'open')
  socket.send('x'.repeat(101))
  const [code] = await once(socket, 'close')
  expect(code).toBe(1009)
  await small.close()
})

test('closing tells the sockets and takes no more', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}`)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  await server.close()
  expect((await closed)[0]).toBe(1001)
  await expect(ask({ body: '{}' })).rejects.toThrow('ECONNREFUSED')
})

test('a port that is in use is an error', async () => {
  await expect(start({ port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
