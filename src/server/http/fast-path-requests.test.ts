import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ECHO, startEcho } from '../../../test/support/echo-server.ts'
import type { RunningServer, ServerDeps, ServerOptions } from '../create-server.ts'

const OPTIONS: Partial<ServerOptions> = {
  allowedHosts: ['node.example'],
  allowedOrigins: ['https://page.example'],
  limits: { maxBodyBytes: 2_000 },
}
const REPEATED = { status: 200, headers: { etag: '"same"' }, isRepeated: true, body: 'the same' }
const PARTS: Partial<ServerDeps> = {
  rest: { handle: ({ target }) => (target === '/v1/same' ? REPEATED : { status: 418, headers: {}, body: target }) },
  operations: new Map([['/health', () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'live' })]]),
}
let plain: RunningServer
let node: RunningServer
beforeAll(async () => {
  plain = await startEcho(OPTIONS, PARTS)
  node = await startEcho({ ...OPTIONS, nodeReadsAll: true }, PARTS)
})
afterAll(() => Promise.all([plain.close(), node.close()]))

interface Reply {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

/** Sends in pieces, then has nothing more to say; everything that comes back. */
async function exchange({ port }: RunningServer, pieces: readonly Buffer[]): Promise<Reply[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk))
  // It ends connections in the middle of what is wrong.
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  for (const piece of pieces) {
    if (socket.writable) await new Promise((resolve) => socket.write(piece, resolve))
    await new Promise((resolve) => setImmediate(resolve))
  }
  socket.end()
  await closed
  return readAnswers(Buffer.concat(received).toString('latin1'))
}

function readAnswers(text: string): Reply[] {
  const answers: Reply[] = []
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at)
    if (end === -1) expect.fail(`half an answer: ${text.slice(at)}`)
    const [line, ...headers] = text.slice(at, end).split('\r\n')
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(at, end))?.[1] ?? 0)
    // The answer to a HEAD says how long it would be.
    const isBodiless = text.startsWith('HTTP/1.1 ', end + 4)
    at = end + 4 + (isBodiless ? 0 : length)
    answers.push({
      status: Number(line!.split(' ')[1]),
      // Only the time may differ, and the count of requests so far.
      headers: headers.map((header) => header.replace(/^[^:]*/, (name) => name.toLowerCase())).sort(),
      body: text.slice(end + 4, at),
    })
  }
  return answers.map((answer) => ({
    ...answer,
    headers: answer.headers.filter((line) => !/^date: |^x-request-id: request-/.test(line)),
  }))
}

function cut(text: string, positions: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const ends = [...new Set(positions.map((position) => position % (bytes.length + 1))), bytes.length]
  ends.sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter(({ length }) => length > 0)
}

async function expectSame(text: string, positions: readonly number[]): Promise<Reply[]> {
  const pieces = cut(text, positions)
  const [first, second] = await Promise.all([exchange(plain, pieces), exchange(node, pieces)])
  expect(first).toEqual(second)
  return first
}

const positions = fc.array(fc.nat(3_000), { maxLength: 4 })
const bodies = fc.oneof(
  fc.constantFrom('', '{}', 'nothing', '"\u00e9\u20ac"', 'POST / HTTP/1.1\r\nHost: a\r\n\r\n', 'x'.repeat(1_999)),
  fc.json({ maxDepth: 2 }),
)
const usualHeaders = fc.subarray([
  'Content-Type: application/json; charset=utf-8',
  'Origin: https://page.example',
  'X-Request-Id: mine.1',
  'Accept-Encoding: gzip, deflate',
  'User-Agent: test/1.0 (x; y)',
  'X-Empty: ',
])
const rightHost = fc.constantFrom('localhost', '127.0.0.1:8545', 'node.example')

function bodyOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** Of all kinds, each of them right. None waits for `100 Continue`: Node says that in the middle of other answers. */
const rightRequest = fc
  .record({
    line: fc.constantFrom(
      ...['POST /', 'POST /', 'POST /', 'GET /', 'GET /health', 'GET /v1/x?y', 'GET /v1/same', 'HEAD /health', 'PUT /'],
    ),
    host: fc.oneof(rightHost, fc.constantFrom('evil.example', '')),
    type: fc.constantFrom(['Content-Type: application/json'], ['content-type: application/json'], []),
    headers: usualHeaders,
    body: bodies,
    form: fc.constantFrom('length', 'length', 'length', 'chunks'),
  })
  .map(({ line, host, type, headers, body: written, form }) => {
    const hasType = headers.some((header) => header.startsWith('Content-Type'))
    const lines = [`${line} HTTP/1.1`, `Host: ${host}`, ...(hasType ? [] : type), ...headers]
    const body = bodyOf(written)
    if (!line.startsWith('POST')) return `${lines.join('\r\n')}\r\n\r\n`
    if (form === 'chunks' && body !== '') {
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      return `${[...lines, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n${chunks}`
    }
    return `${[...lines, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`
  })

test('right requests of all kinds, one after the other, are answered as by the parser of Node', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rightRequest, { minLength: 1, maxLength: 6 }), positions, async (requests, where) => {
      const answers = await expectSame(requests.join(''), where)
      expect(answers).toHaveLength(requests.length)
    }),
    { numRuns: 300 },
  )
})

const oddLines = fc.constantFrom(
  'Content-Length: 2',
  'Content-Length: 3',
  'Content-Length: +2',
  'Content-Length: 02',
  'Content-Length: 2, 2',
  'Content-Length : 2',
  'Content-Length:2',
  'Content-Length:\t2',
  'Content-Length: 2 ',
  'Content-Length: 99999999999999999999',
  'Content-Length: 2001',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding : chunked',
  ' folded',
  '\tfolded',
  ': nameless',
  'no colon',
  'a b: 1',
  'X: \0',
  'X: \x7f',
  'X: \xe9',
  'X: a\nY: b',
  'X: a\rY: b',
  'Host: localhost',
  'Host: evil.example',
  'HOST: localhost',
  'Connection: close',
  'Connection: keep-alive, close',
  'Connection: Upgrade\r\nUpgrade: h2c',
  'Upgrade: h2c',
  'Expect: 100-continue',
  'Expect: something',
  `X: ${'a'.repeat(8_100)}`,
  `X: ${'a'.repeat(17_000)}`,
  'Content-Type: application/json',
  'content-type: text/plain',
  'Origin: https://page.example',
  'Origin: https://other.example',
)
const oddStart = fc.constantFrom(
  'POST / HTTP/1.1',
  'POST / HTTP/1.1',
  'POST / HTTP/1.1',
  'POST / HTTP/1.0',
  'POST / HTTP/1.2',
  'POST / HTTP/2.0',
  'POST /',
  'POST  / HTTP/1.1',
  'POST http://localhost/ HTTP/1.1',
  'POST * HTTP/1.1',
  'post / HTTP/1.1',
  'GET / HTTP/1.1',
  'OPTIONS / HTTP/1.1',
  '\r\nPOST / HTTP/1.1',
  'PRI * HTTP/2.0',
)
/** Of all kinds, many of them wrong. */
const oddRequest = fc
  .record({
    start: oddStart,
    lines: fc.array(oddLines, { maxLength: 5 }),
    hosts: fc.constantFrom(['Host: localhost'], ['Host: localhost'], []),
    ending: fc.constantFrom('\r\n', '\r\n', '\r\n', '\n'),
  })
  .map(({ start, lines, hosts, ending }) => [start, ...hosts, ...lines, '', bodyAfter(lines)].join(ending))

/** What comes after these lines if they mean anything: Node forgets the answer to what garbage comes after. */
function bodyAfter(lines: readonly string[]): string {
  const text = lines.join('\n')
  if (/chunked/.test(text)) return '2\r\n{}\r\n0\r\n\r\n'
  const length = /Content-Length[^\d\n]*(\d+)/.exec(text)?.[1]
  return length === undefined ? '' : 'x'.repeat(Math.min(Number(length), 2_001))
}

test('odd and wrong requests are answered as by the parser of Node', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(oddRequest, positions, async (text, where) => {
      await expectSame(text, where)
    }),
    { numRuns: 1_000 },
  )
})

test('answers come in the order of their requests, whichever is ready first', async () => {
  const waiting: (() => void)[] = []
  const rpc: ServerDeps['rpc'] = {
    ...ECHO,
    handle: (text) => (text === 'now' ? text : new Promise((resolve) => waiting.push(() => resolve(text)))),
  }
  const server = await startEcho({}, { rpc })
  const texts = ['later 1', 'now', 'later 2', 'now']
  const request = (body: string) =>
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ' +
    `${body.length}\r\n\r\n${body}`
  const socket = connect(server.port, '127.0.0.1')
  socket.write(texts.map(request).join(''))
  while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve))
  waiting[1]!()
  waiting[0]!()
  let received = ''
  for await (const chunk of socket) {
    received += chunk
    if (readAnswers(received).length === texts.length) break
  }
  expect(readAnswers(received).map(({ body }) => body)).toEqual(texts)
  await server.close()
})

test('a right request is answered before the connection ends for what comes after it', async () => {
  const request = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
  const answers = await exchange(plain, [Buffer.from(`${request}garbage\r\n\r\n`)])
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [200, '{}'],
    [400, ''],
  ])
})

test('a hundred requests in one piece are all answered', async () => {
  const bodies = Array.from({ length: 100 }, (_, index) => `{"n":${index}}`)
  const requests = bodies.map(
    (body) =>
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ' +
      `${body.length}\r\n\r\n${body}`,
  )
  const answers = await exchange(plain, [Buffer.from(requests.join(''))])
  expect(answers.map(({ body }) => body)).toEqual(bodies)
})
