import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManualServer, startManualServer } from '../../../test/support/manual-server.ts'
import { ResponseCompressor, unpackedText } from './compression.ts'
import type { HttpResponse } from './exchange.ts'

const BODY = 'response'.repeat(500)
const RESPONSE: HttpResponse = { status: 200, headers: { 'content-type': 'application/json' }, body: BODY }

const compress = (acceptEncoding: string | undefined, response = RESPONSE) =>
  new ResponseCompressor().compress(response, () => acceptEncoding)

describe('ResponseCompressor', () => {
  test('sends a body below 1,400 bytes as it is, without Vary', () => {
    const small = { ...RESPONSE, body: 'x'.repeat(1_399) }

    expect(compress('gzip', small)).toBe(small)
  })

  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
  ])('compresses a body for a client that accepts %s', async (header, coding, unpack) => {
    const { headers, body, bytes } = await compress(header)

    expect(headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' })
    expect(bytes).toBe(body.length)
    expect(unpack(body as Buffer).toString()).toBe(BODY)
  })

  test.each([undefined, 'identity', 'gzip;q=0'])(
    'sends the plain body with Vary to a client that accepts %s',
    async (header) => {
      const { headers, body } = await compress(header)

      expect(body).toBe(BODY)
      expect(headers).toMatchObject({ vary: 'accept-encoding' })
      expect(headers['content-encoding']).toBeUndefined()
    },
  )

  test('adds to the Vary of a cross-origin response', async () => {
    const { headers } = await compress('gzip', { ...RESPONSE, headers: { vary: 'origin' } })

    expect(headers.vary).toBe('origin, accept-encoding')
  })

  test('sends plain bodies while four megabytes are being compressed', async () => {
    const compressor = new ResponseCompressor()
    const large = { ...RESPONSE, body: 'x'.repeat(4 * 1024 * 1024) }
    const first = compressor.compress(large, () => 'gzip')
    const second = await compressor.compress(RESPONSE, () => 'gzip')
    const { headers } = await first
    const third = await compressor.compress(RESPONSE, () => 'gzip')

    expect([headers, second.headers, third.headers].map((one) => one['content-encoding'])).toEqual([
      'gzip',
      undefined,
      'gzip',
    ])
  })
})

test('an unpacked body is bounded, and other content is malformed', async () => {
  const packed = gzipSync('x'.repeat(1_000))

  expect(await unpackedText(packed, 1_000)).toEqual({ text: 'x'.repeat(1_000) })
  expect(await unpackedText(packed, 999)).toBe('tooLarge')
  expect(await unpackedText(packed.subarray(0, -1), 1_000)).toBe('malformed')
  expect(await unpackedText(Buffer.from('{}'), 1_000)).toBe('malformed')
})

describe('JSON-RPC over HTTP', () => {
  let server: ManualServer
  beforeAll(async () => {
    server = await startManualServer({}, {}, { maxBodyBytes: 100_000 })
  })
  afterAll(() => server.stop())

  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(server.url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
  const request = (method: string, params: unknown[] = []) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

  test('compresses a large response and leaves a small one plain', async () => {
    const large = await post(request('rpc.discover'), { 'accept-encoding': 'gzip' })
    const small = await post(request('eth_chainId'), { 'accept-encoding': 'gzip' })

    expect(large.headers.get('content-encoding')).toBe('gzip')
    expect(large.headers.get('vary')).toBe('accept-encoding')
    expect(await large.json()).toMatchObject({ id: 1, result: { openrpc: expect.any(String) } })
    expect(small.headers.get('content-encoding')).toBeNull()
    expect(await small.json()).toMatchObject({ result: '0x7a69' })
  })

  test.each([1, 30_000])('reads a gzip body of %i bytes of data', async (length) => {
    const text = request('web3_sha3', [`0x${'11'.repeat(length)}`])
    const packed = new Uint8Array(gzipSync(text, { level: length === 1 ? 9 : 0 }))

    const response = await post(packed, { 'content-encoding': 'GZIP' })

    expect(await response.json()).toEqual(await (await post(text)).json())
  })

  test.each([
    ['that is too large when unpacked', new Uint8Array(gzipSync('['.repeat(100_001))), 'gzip', 413],
    ['that is not gzip', new Uint8Array(Buffer.from('{}')), 'gzip', 400],
    ['of an unknown coding', new Uint8Array(Buffer.from('{}')), 'br', 415],
    ['of two codings', new Uint8Array(gzipSync(gzipSync('{}'))), 'gzip, gzip', 415],
  ])('refuses a body %s and serves the next request', async (_, body, coding, status) => {
    const response = await post(body, { 'content-encoding': coding })

    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ error: expect.any(String) })
    if (status === 415) expect(response.headers.get('accept-encoding')).toBe('gzip')
    expect((await post(request('eth_chainId'))).status).toBe(200)
  })
})
