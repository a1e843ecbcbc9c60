import { expect, test } from 'vitest'
import { FastPathHeadParser, parseFastPathHead } from './fast-path-head.ts'

const read = (text: string) => parseFastPathHead(Buffer.from(text, 'latin1'), 0)
const post = (...lines: string[]) => `${['POST / HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n`
const HOST = 'Host: localhost'

test('parses a simple head and the extent of its body', () => {
  const text = post(HOST, 'Content-Type: application/json', 'Content-Length: 12', 'Connection: Close', 'X-Empty:')
  const head = parseFastPathHead(Buffer.from(`{}${text}{"a":1}`), 2)!
  expect(head).toMatchObject({ method: 'POST', target: '/', length: 12, hasBody: true, isLast: true })
  expect(head.size).toBe(text.length)
  expect(['host', 'content-type', 'x-empty', 'origin'].map((name) => head.header(name))).toEqual([
    'localhost',
    'application/json',
    '',
    undefined,
  ])
  expect(read('GET /v1/x?y=%20 HTTP/1.1\r\nHost: a\r\n\r\n')).toMatchObject({ method: 'GET', target: '/v1/x?y=%20' })
})

test('distinguishes the cached head from one with the same prefix or suffix', () => {
  const reader = new FastPathHeadParser()
  const at = (text: string, from = 0) => reader.read(Buffer.from(text), from)?.length
  const first = post(HOST, 'Content-Length: 2')
  expect([at(first), at(`${first}{}`), at(`{}${first}`, 2)]).toEqual([2, 2, 2])
  expect(at(post(HOST, 'Content-Length: 3'))).toBe(3)
  expect(at(first.slice(0, -2))).toBeUndefined()
  expect(at(post(HOST, 'Content-Length: 2', 'Transfer-Encoding: chunked'))).toBeUndefined()
  expect(at(`x${first}`)).toBeUndefined()
  expect(at(first)).toBe(2)
})

test('what another object inherits is no header', () => {
  expect(read(post(HOST))!.header('constructor')).toBeUndefined()
  expect(read(post(HOST, '__proto__: 1'))!.header('__proto__')).toBe('1')
})

// RFC 9112, section 11.2: whoever reads one of these otherwise than a proxy before us would take a body for a request.
test.each([
  ['length and chunks', post(HOST, 'Content-Length: 2', 'Transfer-Encoding: chunked')],
  ['chunks', post(HOST, 'Transfer-Encoding: chunked')],
  ['chunks in disguise', post(HOST, 'Transfer-Encoding: xchunked')],
  ['two lengths', post(HOST, 'Content-Length: 2', 'Content-Length: 3')],
  ['two equal lengths', post(HOST, 'Content-Length: 2', 'content-length: 2')],
  ['a list of lengths', post(HOST, 'Content-Length: 2, 2')],
  ['a signed length', post(HOST, 'Content-Length: +5')],
  ['a negative length', post(HOST, 'Content-Length: -5')],
  ['a hexadecimal length', post(HOST, 'Content-Length: 0x5')],
  ['a length with a leading zero', post(HOST, 'Content-Length: 05')],
  ['a length of a fraction', post(HOST, 'Content-Length: 5.0')],
  ['an empty length', post(HOST, 'Content-Length:')],
  ['a length beyond all numbers', post(HOST, `Content-Length: ${'9'.repeat(30)}`)],
  ['a space before the colon', post(HOST, 'Content-Length : 2')],
  ['a tab before the colon', post(HOST, 'Content-Length\t: 2')],
  ['a tab before the value', post(HOST, 'Content-Length:\t2')],
  ['a folded line', post(HOST, 'X-A: 1', ' Content-Length: 2')],
  ['a name of nothing', post(HOST, ': 1')],
  ['a line without a colon', post(HOST, 'Content-Length')],
  ['a bare line feed', post(HOST, 'X-A: 1\nContent-Length: 2')],
  ['a bare carriage return', post(HOST, 'X-A: 1\rContent-Length: 2')],
  ['a zero byte', post(HOST, 'X-A: \0')],
  ['bytes that are no ASCII', post(HOST, 'X-A: \xa0')],
  ['a name that is no ASCII', post(HOST, 'Content-Length\xa0: 2')],
  ['no host', post('Content-Length: 2')],
  ['two hosts', post(HOST, 'Host: other')],
  ['an upgrade', post(HOST, 'Connection: Upgrade', 'Upgrade: websocket')],
  ['an upgrade that the connection does not name', post(HOST, 'Upgrade: h2c')],
  ['a connection with other options', post(HOST, 'Connection: close, te')],
  ['an expectation', post(HOST, 'Expect: 100-continue')],
  ['another version', `POST / HTTP/1.0\r\n${HOST}\r\n\r\n`],
  ['a later version', `POST / HTTP/1.2\r\n${HOST}\r\n\r\n`],
  ['another protocol', `POST / ICE/1.0\r\n${HOST}\r\n\r\n`],
  ['two spaces', `POST  / HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['a whole address', `GET http://localhost/ HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['a target with a space', `GET /a b HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['an empty line first', `\r\nPOST / HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['another verb', `PUT / HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['small letters', `post / HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['a GET with a body', `GET / HTTP/1.1\r\n${HOST}\r\nContent-Length: 2\r\n\r\n{}`],
  ['half a head', `POST / HTTP/1.1\r\n${HOST}\r\n`],
  ['a head that is too large', post(HOST, `X-A: ${'a'.repeat(8_192)}`)],
  ['too many headers', post(HOST, ...Array.from({ length: 64 }, (_, index) => `X-${index}: 1`))],
])('%s is not plain', (_, text) => {
  expect(read(text)).toBeUndefined()
})
