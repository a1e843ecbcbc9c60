import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ECHO, startEcho } from '../../../test/support/echo-server.ts'
import { HEAD, heldRpc, open, post, rest, until } from '../../../test/support/http-connections.ts'
import { type ReceivedResponse, readResponses } from '../../../test/support/http-exchange.ts'
import type { RunningServer } from '../create-server.ts'

const HANDSHAKE =
  'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'

let server: RunningServer
beforeAll(async () => {
  server = await startEcho(
    {},
    { rpc: { ...ECHO, handle: (text) => (text.length % 2 === 0 ? text : Promise.resolve(text)) } },
  )
})
afterAll(() => server.close())

/** Sends pieces and the end of the client's side; the responses until the server closes the connection. */
async function responsesTo(...pieces: readonly (string | Buffer)[]): Promise<ReceivedResponse[]> {
  return readResponses(await receivedFor(pieces))
}

async function receivedFor(pieces: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  socket.on('error', () => undefined)
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk
  })
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  for (const piece of pieces) {
    if (!socket.writable) break
    await new Promise((resolve) => socket.write(piece, resolve))
    await new Promise((resolve) => setImmediate(resolve))
  }
  socket.end()
  await closed
  return received
}

function cut(text: string, positions: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const ends = [...new Set(positions.map((position) => position % (bytes.length + 1))), bytes.length]
  ends.sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter(({ length }) => length > 0)
}

interface ValidRequest {
  readonly text: string
  readonly expected: ReceivedResponse
}

function chunked(body: string, sizes: readonly number[]): string {
  let [text, at] = ['', 0]
  for (const size of [...sizes, body.length]) {
    const chunk = body.slice(at, at + size)
    at += chunk.length
    if (chunk !== '') text += `${chunk.length.toString(16)};a="b c"\r\n${chunk}\r\n`
  }
  return `${text}0\r\nX-Trailer: 1\r\n\r\n`
}

const headers = fc.subarray([
  'X-Request-Id: mine.1',
  'Accept-Encoding: deflate',
  'accept-encoding: compress',
  'X-Empty:',
  'Connection: keep-alive, Upgrade\r\nUpgrade: h2c',
  'Expect: 100-continue',
  `X-Long: ${'a'.repeat(3_000)}`,
])
const bodies = fc.oneof(
  fc.constantFrom('{}', '"\u00e9"', 'POST / HTTP/1.1\r\nHost: a\r\n\r\n', '0\r\n\r\n', 'x'.repeat(70_000)),
  fc.json({ maxDepth: 2 }).map((text) => Buffer.from(text).toString('latin1')),
)
const rpcRequest = fc
  .record({ headers, body: bodies, sizes: fc.option(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 4 })) })
  .map(({ headers: lines, body, sizes }): ValidRequest => {
    const framing = sizes === null ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked'
    const head = [`${HEAD}${framing}`, ...lines].join('\r\n')
    const text = `${head}\r\n\r\n${sizes === null ? body : chunked(body, sizes)}`
    // Invalid UTF-8 is replaced.
    return {
      text,
      expected: { status: 200, body: Buffer.from(Buffer.from(body, 'latin1').toString()).toString('latin1') },
    }
  })
const restRequest = fc
  .record({
    start: fc.constantFrom('', '\r\n'),
    method: fc.constantFrom('GET', 'PUT', 'DELETE', 'OPTIONS'),
    version: fc.constantFrom('1.1', '1.0\r\nConnection: keep-alive'),
    headers,
    target: fc.constantFrom('/v1/x?y', 'http://localhost/v1/z', '/a%20b'),
  })
  .map(({ start, method, version, headers: lines, target }): ValidRequest => {
    const head = [`${start}${method} ${target} HTTP/${version}`, 'Host: localhost', ...lines].join('\r\n')
    return { text: `${head}\r\n\r\n`, expected: { status: 418, body: target.replace('http://localhost', '') } }
  })

test('any sequence of valid requests, split anywhere, gets one response per request in order', {
  timeout: 60_000,
}, async () => {
  const requests = fc.array(fc.oneof(rpcRequest, restRequest), { minLength: 1, maxLength: 24 })
  const positions = fc.array(fc.nat(200_000), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(requests, positions, async (sequence, where) => {
      const pieces = cut(sequence.map(({ text }) => text).join(''), where)
      expect(await responsesTo(...pieces)).toEqual(sequence.map(({ expected }) => expected))
    }),
    { numRuns: 300 },
  )
})

test('a body behind an ignored upgrade with very many headers is no request of its own', async () => {
  const smuggled =
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"smuggle"'
  const many = Array.from({ length: 1_100 }, (_, index) => `a${index}: 1`).join('\r\n')
  const upgrade = `${HEAD}Connection: upgrade\r\nUpgrade: h2c\r\n${many}\r\nContent-Length: ${smuggled.length}\r\n\r\n`

  const responses = await responsesTo(upgrade + smuggled)

  expect(responses.map(({ status }) => status)).toEqual([431])
})

test('a body behind an ignored upgrade is read as the body', async () => {
  const inner = post('"inner"')
  const upgrade = `${HEAD}Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: ${inner.length}\r\n\r\n`

  expect(await responsesTo(`${upgrade}${inner}${post('"next"')}`)).toEqual([
    { status: 200, body: inner },
    { status: 200, body: '"next"' },
  ])
})

test('100 Continue follows the responses to earlier requests', async () => {
  const { rpc, held } = heldRpc()
  const own = await startEcho({}, { rpc })
  const socket = await open(own)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write(`${post('"first"')}${HEAD}Expect: 100-continue\r\nContent-Length: 8\r\n\r\n`)
  await until(() => held.length === 1)
  expect(received).toBe('')

  held[0]!.goOn()
  await until(() => received.includes('100 Continue'))
  expect(received).toMatch(/^HTTP\/1.1 200 OK\r\n.*"first"HTTP\/1.1 100 Continue\r\n\r\n$/s)
  socket.write('"second"')
  await until(() => held.length === 2)
  held[1]!.goOn()
  await until(() => received.endsWith('"second"'))

  socket.destroy()
  await own.close()
})

test('a request that is refused by its head gets no 100 Continue', async () => {
  const head = `${HEAD}Expect: 100-continue\r\nContent-Length: ${6 * 1024 * 1024}\r\n\r\n`
  expect(await receivedFor([head])).toMatch(/^HTTP\/1.1 413 .*Connection: close/s)
})

test('an expectation other than 100-continue is refused with 417', async () => {
  const responses = await responsesTo(`${HEAD}Expect: more\r\nContent-Length: 2\r\n\r\n{}`, post('"next"'))
  expect(responses.map(({ status }) => status)).toEqual([417])
})

test('a chunked request and an ignored upgrade in one piece are both answered', async () => {
  const request = `${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\n"a"\r\n0\r\n\r\n`
  const upgrade = 'GET /v1/b HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n'

  expect(await responsesTo(request + upgrade)).toEqual([
    { status: 200, body: '"a"' },
    { status: 418, body: '/v1/b' },
  ])
})

test('a WebSocket begins behind the responses to earlier requests, and the bytes behind its request are its own', async () => {
  const { rpc, held } = heldRpc()
  const own = await startEcho({}, { rpc })
  const socket = await open(own)
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk
  })
  // A masked text frame with a mask of zeros.
  const frame = Buffer.concat([Buffer.from([0x81, 0x82, 0, 0, 0, 0]), Buffer.from('hi')])
  socket.write(Buffer.concat([Buffer.from(post('"first"') + HANDSHAKE), frame]))
  await until(() => held.length === 1)
  expect(received).toBe('')

  held[0]!.goOn()
  await until(() => received.endsWith('\x81\x02hi'))
  expect(received).toMatch(/^HTTP\/1.1 200 .*"first"HTTP\/1.1 101 Switching Protocols\r\n/s)

  socket.destroy()
  await own.close()
})

test('a WebSocket that is refused closes the connection with an HTTP response', async () => {
  const foreign = HANDSHAKE.replace('Host: localhost', 'Host: localhost\r\nOrigin: https://page.example')
  expect(await receivedFor([foreign, post('"next"')])).toMatch(/^HTTP\/1.1 403 Forbidden\r\n.*Connection: close/s)
})

test('the response to HEAD has the length of a body and no body', async () => {
  const received = await receivedFor([`HEAD /v1/x HTTP/1.1\r\nHost: localhost\r\n\r\n${post('"next"')}`])
  expect(received).toMatch(/^HTTP\/1.1 418 [^{}]*Content-Length: 5\r\n\r\nHTTP\/1.1 200 .*"next"$/s)
})

test.each([
  ['no head', 'garbage\r\n\r\n', 400],
  ['a chunk without its end', `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{}}`, 400],
  ['a chunk with a negative size', `${HEAD}Transfer-Encoding: chunked\r\n\r\n-1\r\n`, 400],
  ['a space behind the size of a chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\n2 \r\n{}\r\n0\r\n\r\n`, 400],
  ['a folded trailer', `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\n B\r\n\r\n`, 400],
  ['a chunk that is too large', `${HEAD}Transfer-Encoding: chunked\r\n\r\nffffff\r\n`, 413],
  ['endless chunk extensions', `${HEAD}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(5_000)}`, 413],
  ['a length in trailers', `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 0\r\n\r\n`, 400],
  ['a coding in trailers', `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\nTransfer-Encoding: x\r\n\r\n`, 400],
  ['endless trailers', `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n${`A: ${'a'.repeat(4_000)}\r\n`.repeat(5)}`, 431],
  ['half a head', 'POST / HTTP/1.1\r\nHost: loc', 400],
  ['half a body', `${HEAD}Content-Length: 9\r\n\r\n{`, 400],
])('a valid request is answered before the connection ends for %s', async (_, text, status) => {
  const responses = await responsesTo(post('{}') + text)
  expect(responses.map((response) => response.status)).toEqual([200, status])
})

test('responses come in the order of their requests, whichever is ready first', async () => {
  const { rpc, held } = heldRpc()
  const handle: typeof rpc.handle = (text, client) => (text === '"now"' ? text : rpc.handle(text, client))
  const own = await startEcho({}, { rpc: { ...rpc, handle } })
  const texts = ['"late 1"', '"now"', '"late 2"', '"now"']
  const socket = await open(own)
  socket.write(
    texts
      .slice(0, 3)
      .map((text) => post(text))
      .join('') + post('"now"', 'Connection: close\r\n'),
  )
  await until(() => held.length === 2)

  held[1]!.goOn()
  held[0]!.goOn()

  expect(readResponses(await rest(socket)).map(({ body }) => body)).toEqual(texts)
  await own.close()
})

test('the response to a client that keeps sending is not lost to a reset', async () => {
  const socket = await open(server)
  const large = Buffer.alloc(1024 * 1024)
  socket.write(`${HEAD}Content-Length: ${100 * 1024 * 1024}\r\n\r\n`)
  for (let count = 0; count < 8; count++) socket.write(large)
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 413 /)
})
