import { describe, expect, test } from 'vitest'

/** The part of a protocol module that the load generator of `npm run bench -- rpc` uses. */
interface Wire {
  encode(json: string): Buffer
  createReader(
    onResponse: (isResult: boolean, first: Buffer, bytes: number) => void,
    onOpen?: () => void,
  ): (chunk: Buffer) => void
}

const load = (name: string): Promise<Record<string, Wire>> =>
  import(new URL(`../bench/support/${name}.mjs`, import.meta.url).href)
const httpWire = (await load('http-wire')).httpWire!
const webSocketWire = (await load('websocket-wire')).webSocketWire!

const RESULT = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
const ERROR = '{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"},"id":1}'
const LONG = `{"jsonrpc":"2.0","id":1,"result":"${'ab'.repeat(70_000)}"}`

const http = (body: string, status = '200 OK') =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

function frame(text: string): Buffer {
  const size = Buffer.alloc(text.length < 126 ? 2 : text.length < 65_536 ? 4 : 10)
  size[0] = 0x81
  if (text.length < 126) size[1] = text.length
  else if (text.length < 65_536) size.writeUInt16BE(text.length, 2)
  else size.writeBigUInt64BE(BigInt(text.length), 2)
  if (size.length > 2) size[1] = size.length === 4 ? 126 : 127
  return Buffer.concat([size, Buffer.from(text)])
}

function responsesIn(wire: Wire, stream: Buffer, chunk: number): (readonly [boolean, number])[] {
  const responses: (readonly [boolean, number])[] = []
  const read = wire.createReader(
    (isResult, _, bytes) => responses.push([isResult, bytes]),
    () => {},
  )
  for (let from = 0; from < stream.length; from += chunk) read(stream.subarray(from, from + chunk))
  return responses
}

describe('the load generator parses responses however the stream is split', () => {
  const expected = [RESULT, ERROR, LONG, RESULT].map((body) => [body !== ERROR, body.length])

  test.each([1, 7, 100, 4_096, 1_000_000])('HTTP in chunks of %i bytes', (chunk) => {
    const stream = Buffer.from([RESULT, ERROR, LONG, RESULT].map((body) => http(body)).join(''))
    expect(responsesIn(httpWire, stream, chunk)).toEqual(expected)
  })

  test.each([7, 100, 4_096, 1_000_000])('WebSocket in chunks of %i bytes', (chunk) => {
    const opening = Buffer.from('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n')
    const stream = Buffer.concat([opening, ...[RESULT, ERROR, LONG, RESULT].map(frame)])
    expect(responsesIn(webSocketWire, stream, chunk)).toEqual(expected)
  })

  test('an HTTP error is not a result', () => {
    expect(responsesIn(httpWire, Buffer.from(http('{}', '503 Service Unavailable')), 50)).toEqual([[false, 2]])
  })

  test('rejects a server without WebSocket', () => {
    expect(() => responsesIn(webSocketWire, Buffer.from(http('{}', '404 Not Found')), 1_000)).toThrow('status 404')
  })
})
