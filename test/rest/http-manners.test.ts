import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer } from '../../src/server/create-server.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'

const SUPPLY = '/v1/tokenized-stocks/total-supply/0x5700000000000000000000000000000000000001'
const LIST = '/v1/tokenized-stocks'

/** Headers that do not belong to the resource. */
const OF_CONNECTION = ['date', 'x-request-id', 'connection', 'keep-alive']

let server: ManualServer
beforeAll(async () => {
  server = await startManualServer()
})
afterAll(() => server.stop())

function get(path: string, init?: RequestInit): Promise<Response> {
  return fetch(`${server.url}${path}`, init)
}

interface RawResponse {
  readonly status: number | undefined
  readonly headers: NodeJS.Dict<unknown>
  readonly bytes: Buffer
}

/** The body as transferred: `fetch` would decompress it. */
function raw(path: string, headers: Record<string, string>): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${server.url}${path}`, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

async function expectRefusal(response: Response, status: number, code: number, text: string | RegExp): Promise<void> {
  expect(response.status).toBe(status)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toMatchObject({ code, message: expect.stringMatching(text) })
}

describe('a response is tied to its block', () => {
  test.each([SUPPLY, LIST, `${LIST}?exact=true`, `${SUPPLY}?block=pending`])('%s', async (path) => {
    const first = await get(path)
    const { pending } = server.node.view().head
    const isPending = path.endsWith('pending')
    const hash = isPending ? pending.block.hash : pending.block.header.parentHash
    expect(first.headers.get('x-block-hash')).toBe(hash)
    expect(first.headers.get('x-block-number')).toBe(String(pending.block.header.number - (isPending ? 0 : 1)))
    expect(first.headers.get('etag')).toContain(hash)
    expect(first.headers.get('cache-control')).toBe('public, no-cache')

    const again = await get(path, { headers: { 'if-none-match': `"other", W/${first.headers.get('etag')}` } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    expect(again.headers.get('etag')?.replace('-gzip', '')).toBe(first.headers.get('etag')?.replace('-gzip', ''))
    expect(again.headers.get('content-length')).toBeNull()

    await server.nextBlock()
    const later = await get(path, { headers: { 'if-none-match': first.headers.get('etag')! } })
    expect(later.status).toBe(200)
  })

  test('a cached response carries each request id and is not used for a later block', async () => {
    const request = async (id: string) => {
      const { headers, bytes } = await raw(SUPPLY, { 'x-request-id': id })
      return [headers['x-request-id'], headers.etag, headers['content-length'], bytes.toString()]
    }
    const [first, second] = [await request('first'), await request('second')]
    expect([first[0], second[0]]).toEqual(['first', 'second'])
    expect(second.slice(1)).toEqual(first.slice(1))
    await server.nextBlock()
    expect((await request('third'))[1]).not.toBe(first[1])
  })

  test('a response at a hash is immutable, a response at a number is not', async () => {
    const { hash } = server.node.view().block({ kind: 'tag', tag: 'latest' })!.block
    expect((await get(`${SUPPLY}?block=${hash}`)).headers.get('cache-control')).toMatch(/immutable/)
    expect((await get(`${SUPPLY}?block=0x0`)).headers.get('cache-control')).toBe('public, no-cache')
  })

  test('an empty flashblock changes neither block nor response', async () => {
    const first = await get(`${SUPPLY}?block=pending`)
    await server.nextFlashblock()
    const headers = { 'if-none-match': first.headers.get('etag')! }
    expect((await get(`${SUPPLY}?block=pending`, { headers })).status).toBe(304)
  })
})

test.each([SUPPLY, LIST, `${LIST}/chains`, '/docs', '/v1/openapi.json'])(
  '%s with a trailing slash is 404, and the message says to leave it out',
  async (path) => {
    expect((await get(path)).status).toBe(200)
    await expectRefusal(await get(`${path}/`), 404, 5, /leave out the slash/)
    await expectRefusal(await get(`${path}/?block=latest`), 404, 5, /leave out the slash/)
    await expectRefusal(await get(`${path}//`), 404, 5, '/docs shows what there is')
  },
)

test('an empty contract address is 404, code 5', async () => {
  await expectRefusal(await get(`${LIST}/total-supply/`), 404, 5, /leave out the slash/)
  await expectRefusal(await get(`${LIST}/total-supply`), 404, 5, /no listed token has the symbol/)
})

describe('blocks', () => {
  test.each(['latest', 'pending', 'safe', 'finalized', 'earliest', '0x0', '0', '1'])('%s', async (block) => {
    const response = await get(`${SUPPLY}?block=${block}`)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('1000000')
  })

  test.each(['0xffffff', '0xffffffffffffffff', `0x${'ab'.repeat(32)}`])(
    '%s is not there: 404, code 5',
    async (block) => {
      await expectRefusal(await get(`${SUPPLY}?block=${block}`), 404, 5, `there is no block`)
    },
  )

  test.each(['', '01', '-1', '0x', '0x01', 'LATEST', `0x${'a'.repeat(17)}`, 'latest%20'])(
    '%j names no block: 400, code 3, and the parameter is named',
    async (block) => {
      const response = await get(`${SUPPLY}?block=${block}`)
      expect(await response.clone().json()).toMatchObject({
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            field_violations: [
              { field: 'block', description: expect.stringContaining('must be one of latest, pending') },
            ],
          },
        ],
      })
      await expectRefusal(response, 400, 3, /^query parameter block: /)
    },
  )

  test('a replaced hash of the open block is not found, even if it was read before: 404', async () => {
    const { hash } = server.node.view().head.pending.block
    expect((await get(`${SUPPLY}?block=${hash}`)).status).toBe(200)
    await server.send({ nonce: 0n })
    await server.nextFlashblock()
    expect(server.node.view().head.pending.block.hash).not.toBe(hash)
    await expectRefusal(await get(`${SUPPLY}?block=${hash}`), 404, 5, 'ask for latest or pending')
  })
})

describe('queries', () => {
  test.each([
    ['?exact=yes', 'query parameter exact: must be true or false'],
    ['?exact', 'query parameter exact: must be true or false'],
    ['?exact=true&exact=true', 'query parameter exact: is given more than once'],
    ['?exat=true', 'query parameter exat: is not known; did you mean exact?'],
    ['?block=%', 'query parameter block: is not valid: check its % escapes'],
    ['?%ff=1', 'is not valid: check its % escapes'],
  ])('%s: 400, code 3', async (query, text) => {
    await expectRefusal(await get(`${LIST}${query}`), 400, 3, text)
  })

  test.each(['limit=5', '__proto__=1', 'utm_source=mail&utm_source=web', '_=1732848000', 'gclid=1', 'x', 'ts=%20'])(
    '%s is ignored',
    async (query) => {
      const plain = await get(`${LIST}?block=0x0`)

      const response = await get(`${LIST}?${query}&block=0x0`)

      expect(response.status).toBe(200)
      expect(await response.text()).toBe(await plain.text())
      expect((await get(`${LIST}/chains?${query}`)).status).toBe(200)
    },
  )

  test.each(['t=1732848000', 'T=-', 'tz=utc'])('%s is ignored where to is known', async (query) => {
    const actions = `${LIST}/QLBKFd/corporate-actions`
    expect((await get(`${actions}?${query}`)).status).toBe(200)
    expect((await get(`${actions}?To=1`)).status).toBe(400)
  })

  test.each([
    ['blok', 'block'],
    ['blocks', 'block'],
    ['Block', 'block'],
    ['bolck', 'block'],
    ['blockNumber', 'block'],
    ['block_hash', 'block'],
    ['exakt', 'exact'],
    ['EXACT', 'exact'],
  ])('%s is refused in favour of %s: 400, code 3', async (name, meant) => {
    await expectRefusal(
      await get(`${LIST}?${name}=1`),
      400,
      3,
      `query parameter ${name}: is not known; did you mean ${meant}?`,
    )
  })

  test('an empty query has no parameters', async () => {
    expect((await get(`${SUPPLY}?`)).status).toBe(200)
    expect((await get(`${SUPPLY}?&exact=true&`)).status).toBe(200)
  })
})

describe('methods', () => {
  test.each([SUPPLY, LIST, '/docs', '/v1/openapi.json'])('HEAD of %s is GET without the body', async (path) => {
    const headers = { 'accept-encoding': 'identity' }
    const [whole, head] = await Promise.all([get(path, { headers }), get(path, { method: 'HEAD', headers })])
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    const kept = (response: Response) => [...response.headers].filter(([name]) => !OF_CONNECTION.includes(name))
    expect(kept(head)).toEqual(kept(whole))
    expect(whole.headers.get('content-length')).toBe(String(Buffer.byteLength(await whole.text())))
  })

  test('pages of any origin may read, and the preflight says so', async () => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
    const preflight = await get(SUPPLY, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
    const read = await get(SUPPLY, { headers: { origin: 'https://app.example' } })
    expect(read.headers.get('access-control-allow-origin')).toBe('*')
    expect(read.headers.get('access-control-expose-headers')).toMatch(/x-block-hash/)
  })

  test('does not open JSON-RPC to pages of other origins', async () => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://app.example' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    const preflight = await fetch(server.url, { method: 'OPTIONS', headers: { origin: 'https://app.example' } })
    expect(preflight.status).toBe(405)
  })

  test('another method is rejected with the allowed ones', async () => {
    const response = await get(`${LIST}?nonsense=1`, { method: 'DELETE' })
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    await expectRefusal(response, 405, 12, 'Method Not Allowed')
  })
})

describe('compression', () => {
  test('compresses a long response if the client accepts gzip, and never a short one', async () => {
    const plain = await raw(LIST, {})
    const compressed = await raw(LIST, { 'accept-encoding': 'br, gzip;q=0.5' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers.vary).toBe('accept-encoding')
    expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(compressed.headers['content-length']).toBe(String(compressed.bytes.length))
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 2)
    expect(compressed.headers.etag).not.toBe(plain.headers.etag)
    const short = await raw(SUPPLY, { 'accept-encoding': 'gzip' })
    expect(short.headers['content-encoding']).toBeUndefined()
    expect(short.headers.vary).toBeUndefined()
  })

  test('a 304 names the body that the client has, so that a cache refreshes it', async () => {
    const plain = String((await raw(LIST, {})).headers.etag)
    const gzip = { 'accept-encoding': 'gzip' }
    const compressed = String((await raw(LIST, gzip)).headers.etag)
    const renewed = async (headers: Record<string, string>) => {
      const { status, headers: answered } = await raw(LIST, headers)
      return [status, answered.etag]
    }
    expect(await renewed({ ...gzip, 'if-none-match': compressed })).toEqual([304, compressed])
    expect(await renewed({ ...gzip, 'if-none-match': `${plain}, W/${compressed}` })).toEqual([304, compressed])
    expect(await renewed({ ...gzip, 'if-none-match': plain })).toEqual([304, plain])
    expect(await renewed({ 'if-none-match': compressed })).toEqual([304, compressed])
    expect(await renewed({ 'if-none-match': '*' })).toEqual([304, plain])
    expect(await renewed({ ...gzip, 'if-none-match': '*' })).toEqual([304, compressed])
  })

  test.each(['gzip;q=0', 'identity', 'br', ''])('does not compress for accept-encoding %j', async (accepted) => {
    expect((await raw(LIST, { 'accept-encoding': accepted })).headers['content-encoding']).toBeUndefined()
  })
})

test('the reference page loads nothing, runs its own script only, and names every resource', async () => {
  const response = await get('/docs')
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; script-src 'sha256-[\w+/=]{44}'; connect-src 'self';/,
  )
  const page = await response.text()
  expect(page).not.toMatch(/<script[^>]* src=|<link|<img|@import|url\(/)
  expect(page.match(/<script/g)).toHaveLength(1)
  for (const path of ['/v1/tokenized-stocks', '/v1/tokenized-stocks/chains', '/total-supply/{contract_address}']) {
    expect(page).toContain(path)
  }
})

test('an address above its rate limit gets 429 with code 8 and the time to wait', async () => {
  const rest = { handle: () => ({ status: 200, headers: {}, body: '' }) }
  const rpc = { respond: async () => undefined, connect: () => ({ receive: async () => {}, close: () => {} }) }
  const rateLimit = { rate: 1, burst: 1 }
  const log = { error: (details: object) => expect.unreachable(JSON.stringify(details)) }
  const limited = await createServer({ host: '127.0.0.1', port: 0, rateLimit }, { rpc, rest, log })
  const request = () => fetch(`http://127.0.0.1:${limited.port}${SUPPLY}`)
  expect((await request()).status).toBe(200)
  const refused = await request()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  expect(await refused.json()).toMatchObject({ code: 8, details: [] })
  await limited.close()
})
