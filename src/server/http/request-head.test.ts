import { expect, test } from 'vitest'
import { MAX_HEADERS } from './header-lines.ts'
import { type RequestHead, RequestHeadParser } from './request-head.ts'

function read(text: string) {
  return new RequestHeadParser().read(Buffer.from(text, 'latin1'), 0)
}

function head(text: string): RequestHead {
  const result = read(text)
  if (result?.kind !== 'head') expect.fail(`no head: ${JSON.stringify(result)}`)
  return result
}

const post = (...lines: string[]) => `${['POST / HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n`
const HOST = 'Host: localhost'

test('the parser reads a head behind other bytes and returns its end', () => {
  const text = post(HOST, 'Content-Type: application/json', 'Content-Length: 12', 'Connection: Close', 'X-Empty:')
  const parser = new RequestHeadParser()

  const parsed = parser.read(Buffer.from(`{}${text}{"a":1}`), 2)

  expect(parsed).toMatchObject({ kind: 'head', method: 'POST', target: '/', length: 12, hasBody: true, isLast: true })
  expect(parser.position).toBe(2 + text.length)
  const names = ['host', 'content-type', 'x-empty', 'origin']
  expect(names.map((name) => (parsed as RequestHead).header(name))).toEqual([
    'localhost',
    'application/json',
    '',
    undefined,
  ])
})

test('the parser distinguishes the cached head from one with the same prefix or suffix', () => {
  const parser = new RequestHeadParser()
  const lengthOf = (text: string, from = 0) => {
    const result = parser.read(Buffer.from(text), from)
    return result?.kind === 'head' ? result.length : result
  }
  const first = post(HOST, 'Content-Length: 2')

  expect([lengthOf(first), lengthOf(`${first}{}`), lengthOf(`{}${first}`, 2)]).toEqual([2, 2, 2])
  expect(lengthOf(post(HOST, 'Content-Length: 3'))).toBe(3)
  expect(lengthOf(first.slice(0, -2))).toBeUndefined()
  expect(lengthOf('\r\n')).toBe(2)
  expect(lengthOf(first)).toBe(2)
})

test('a head is the same however it is split', () => {
  const text = `\r\n${post(HOST, 'Content-Length: 2', 'X-A: 1', 'X-A: 2')}`
  for (let cut = 1; cut < text.length; cut++) {
    const parser = new RequestHeadParser()
    expect(parser.read(Buffer.from(text.slice(0, cut)), 0)).toBeUndefined()
    const rest = text.slice(parser.position)
    const result = parser.read(Buffer.from(rest), 0)
    expect(result).toMatchObject({ kind: 'head', length: 2 })
    expect((result as RequestHead).header('x-a')).toBe('1, 2')
  }
})

test('inherited properties of objects are not headers', () => {
  expect(head(post(HOST)).header('constructor')).toBeUndefined()
  expect(head(post(HOST, '__proto__: 1')).header('__proto__')).toBe('1')
})

test.each([
  ['origin form', 'GET /v1/x?y=%20 HTTP/1.1', '/v1/x?y=%20', 'localhost'],
  ['absolute form, which replaces Host', 'GET http://node.example:80/a?b HTTP/1.1', '/a?b', 'node.example:80'],
  ['absolute form without a path', 'GET HTTP://node.example?b HTTP/1.1', '/?b', 'node.example'],
  ['asterisk form', 'OPTIONS * HTTP/1.1', '*', 'localhost'],
])('parses a target in %s', (_, line, target, host) => {
  const parsed = head(`${line}\r\n${HOST}\r\n\r\n`)
  expect([parsed.target, parsed.header('host')]).toEqual([target, host])
})

test.each([
  ['HTTP/1.1', 'X: 1', false],
  ['HTTP/1.1', 'Connection: keep-alive, Close', true],
  ['HTTP/1.1', 'Connection: closed', false],
  ['HTTP/1.0', 'X: 1', true],
  ['HTTP/1.0', 'Connection: Keep-Alive', false],
  ['HTTP/1.0', 'Connection: keep-alive, close', true],
])('%s with %s closes after the response: %s', (version, line, isLast) => {
  expect(head(`GET / ${version}\r\n${HOST}\r\n${line}\r\n\r\n`).isLast).toBe(isLast)
})

test('HTTP/1.0 needs no Host, and its expectations are ignored', () => {
  expect(head('GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n').expectation).toBe('none')
  expect(head(post(HOST, 'Expect: 100-Continue')).expectation).toBe('continue')
  expect(head(post(HOST, 'Expect: 100-continue, more')).expectation).toBe('unknown')
})

test.each([
  ['a WebSocket', ['Connection: keep-alive, Upgrade', 'Upgrade: WebSocket'], true],
  ['HTTP/2', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c'], false],
  ['one that Connection does not name', ['Upgrade: websocket'], false],
  ['one of several protocols', ['Connection: Upgrade', 'Upgrade: websocket, h2c'], false],
  ['one with a body', ['Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 2'], false],
])('recognizes an upgrade to %s: %s', (_, lines, isUpgrade) => {
  expect(head(`GET / HTTP/1.1\r\n${[HOST, ...lines].join('\r\n')}\r\n\r\n`).isWebSocketUpgrade).toBe(isUpgrade)
})

test.each([
  ['too many headers', post(HOST, ...Array.from({ length: MAX_HEADERS }, (_, index) => `X-${index}: 1`))],
  ['a head that is too large', post(HOST, `X-A: ${'a'.repeat(16_384)}`)],
  ['the beginning of a head that is too large', `POST / HTTP/1.1\r\nX-A: ${'a'.repeat(16_384)}`],
  ['a target that is too large', `GET /${'a'.repeat(16_384)}`],
])('refuses %s with 431', (_, text) => {
  expect(read(text)).toMatchObject({ kind: 'malformed', status: 431 })
})

test('transfer codings other than chunked are refused with 501', () => {
  const text = post(HOST, 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked')
  expect(read(text)).toMatchObject({ kind: 'malformed', status: 501 })
})

// RFC 9112, section 11.2: a proxy that interprets one of these differently could take a body for a request.
test.each([
  ['length and chunks', post(HOST, 'Content-Length: 2', 'Transfer-Encoding: chunked')],
  ['a body that ends with the connection', post(HOST, 'Transfer-Encoding: chunked', 'Transfer-Encoding: gzip')],
  ['an empty coding behind chunks', post(HOST, 'Transfer-Encoding: chunked,')],
  ['an empty coding before chunks', post(HOST, 'Transfer-Encoding: ,chunked')],
  ['chunks before a tab', post(HOST, 'Transfer-Encoding: chunked\t')],
  ['chunks in chunks', post(HOST, 'Transfer-Encoding: chunked, chunked')],
  ['an empty transfer encoding', post(HOST, 'Transfer-Encoding:')],
  ['chunks in HTTP/1.0', `POST / HTTP/1.0\r\n${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ['a tab before a length', post(HOST, 'Content-Length:\t2')],
  ['a coding with a byte that is no space behind it', post(HOST, 'Transfer-Encoding: chunked\xa0')],
  ['CONNECT', `CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['an unknown method', `MKCOLA / HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['an asterisk with another method', `GET * HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['another scheme', `GET ftp://localhost/ HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['the beginning of an unknown method', 'MKX'],
  ['the beginning of another protocol', 'GET / HTTX'],
  ['a space at the beginning of a header line', `POST / HTTP/1.1\r\n `],
  ['the beginning of a second length', `POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length:`],
  ['chunks in disguise', post(HOST, 'Transfer-Encoding: xchunked')],
  ['two lengths', post(HOST, 'Content-Length: 2', 'Content-Length: 3')],
  ['two equal lengths', post(HOST, 'Content-Length: 2', 'content-length: 2')],
  ['a list of lengths', post(HOST, 'Content-Length: 2, 2')],
  ['a signed length', post(HOST, 'Content-Length: +5')],
  ['a negative length', post(HOST, 'Content-Length: -5')],
  ['a hexadecimal length', post(HOST, 'Content-Length: 0x5')],
  ['a length of a fraction', post(HOST, 'Content-Length: 5.0')],
  ['an empty length', post(HOST, 'Content-Length:')],
  ['a length beyond all numbers', post(HOST, `Content-Length: ${'9'.repeat(30)}`)],
  ['a space before the colon', post(HOST, 'Content-Length : 2')],
  ['a tab before the colon', post(HOST, 'Content-Length\t: 2')],
  ['a folded line', post(HOST, 'X-A: 1', ' Content-Length: 2')],
  ['a name of nothing', post(HOST, ': 1')],
  ['a line without a colon', post(HOST, 'Content-Length')],
  ['a bare line feed', post(HOST, 'X-A: 1\nContent-Length: 2')],
  ['a bare carriage return', post(HOST, 'X-A: 1\rContent-Length: 2')],
  ['a zero byte', post(HOST, 'X-A: \0')],
  ['a name that is no ASCII', post(HOST, 'Content-Length\xa0: 2')],
  ['no host', post('Content-Length: 2')],
  ['two hosts', post(HOST, 'Host: other')],
  ['a later version', `POST / HTTP/1.2\r\n${HOST}\r\n\r\n`],
  ['another protocol', `POST / ICE/1.0\r\n${HOST}\r\n\r\n`],
  ['a version that is an inherited property', `POST / constructor\r\n${HOST}\r\n\r\n`],
  ['an absolute target with a user', `GET http://user@localhost/ HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['an absolute target with quotes in its host', `GET http://a"b/ HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['an absolute target with a fragment behind its host', `GET http://a#b HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['two spaces', `POST  / HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['a target with a space', `GET /a b HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['small letters', `post / HTTP/1.1\r\n${HOST}\r\n\r\n`],
])('refuses %s with 400', (_, text) => {
  expect(read(text)).toMatchObject({ kind: 'malformed', status: 400 })
})
