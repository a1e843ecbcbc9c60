import { type IncomingMessage, request } from 'node:http'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import stockToken from '../../src/chain/predeploys/stock-token.json' with { type: 'json' }
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { CONTRACT_NETWORK } from '../support/contract-chain.ts'
import { COUNTER_RUNTIME, initCode } from '../support/contracts.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'

const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address
const STOCK = '0x5700000000000000000000000000000000000001'
const SMALL_STOCK = '0x5700000000000000000000000000000000000002'
/** Returns 18 for every call: a token with a supply of 18 base units. */
const ODD_TOKEN = createAddress(OWNER, 0n)
/** Has code that returns no data. */
const NO_TOKEN = createAddress(OWNER, 1n)
/** Consumes all its gas. */
const FAILING = createAddress(OWNER, 2n)
/** Returns 1 for `totalSupply()` and no data for `decimals()`. */
const NO_DECIMALS = createAddress(OWNER, 3n)
/** Returns 256 for every call, which is not a uint8. */
const WIDE_DECIMALS = createAddress(OWNER, 4n)
/** Returns 255 for every call. */
const MOST_DECIMALS = createAddress(OWNER, 5n)
/** Counts its calls in storage and returns the count. */
const COUNTING = createAddress(OWNER, 6n)
const RUNTIMES = [
  '60125f5260205ff3',
  '00',
  'fe',
  '5f3560e01c6318160ddd14600f57005b60015f5260205ff3',
  '6101005f5260205ff3',
  '60ff5f5260205ff3',
  COUNTER_RUNTIME,
]

let server: ManualServer

beforeAll(async () => {
  server = await startManualServer({}, { network: CONTRACT_NETWORK })
  for (const [nonce, runtime] of RUNTIMES.entries()) {
    await server.send({ nonce: BigInt(nonce), to: null, value: 0n, data: initCode(runtime), gasLimit: 200_000n })
  }
  await server.nextBlock()
})
afterAll(() => server.stop())

function get(path: string, init?: RequestInit): Promise<Response> {
  return fetch(`${server.url}${path}`, init)
}

const supplyOf = (address: string) => get(`/v1/tokenized-stocks/total-supply/${address}`)

async function expectStatus(response: Response, status: number, code: number): Promise<void> {
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await response.json()).toEqual({ code, message: expect.stringMatching(/./), details: [] })
}

describe('the total supply', () => {
  test('is a bare JSON number: base units divided by 10^decimals', async () => {
    const response = await supplyOf(STOCK)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await response.text()).toBe('1000000')
  })

  test("is normalized by the token's own decimals", async () => {
    expect(await (await supplyOf(SMALL_STOCK)).text()).toBe('2500000.125')
    expect(await (await supplyOf(ODD_TOKEN)).text()).toBe('1.8e-17')
    expect(await (await supplyOf(MOST_DECIMALS)).text()).toBe('2.55e-253')
  })

  test('is in token units, independent of the multiplier', async () => {
    // Its multiplier is 2 after a split.
    expect(await (await supplyOf('0x5700000000000000000000000000000000000003')).json()).toBe(400_000)
  })

  test('follows a mint when its block is sealed', async () => {
    const data = encodeFunctionData({ abi: stockToken.abi, functionName: 'mint', args: [OWNER, 1n] })
    const to = toAddress(SMALL_STOCK)
    await server.send({ nonce: BigInt(RUNTIMES.length), to, value: 0n, data: hexToBytes(data), gasLimit: 200_000n })
    await server.nextFlashblock()
    expect(await (await supplyOf(SMALL_STOCK)).text()).toBe('2500000.125')
    await server.nextBlock()
    expect(await (await supplyOf(SMALL_STOCK)).text()).toBe('2500000.125001')
  })

  test('has all digits with exact=true, still as a number, and as text in an operation of its own', async () => {
    const data = encodeFunctionData({ abi: stockToken.abi, functionName: 'mint', args: [OWNER, 1n] })
    const nonce = BigInt(RUNTIMES.length + 1)
    await server.send({ nonce, to: toAddress(STOCK), value: 0n, data: hexToBytes(data), gasLimit: 200_000n })
    await server.nextFlashblock()

    expect(await (await supplyOf(`${STOCK}?block=pending`)).text()).toBe('1000000')
    expect(await (await supplyOf(`${STOCK}?block=pending&exact=true`)).text()).toBe('1000000.000000000000000001')
    expect(await (await supplyOf(`${STOCK}/exact?block=pending`)).text()).toBe('"1000000.000000000000000001"')
  })

  test('accepts upper-case letters in the address', async () => {
    const address = `0x${'ABCDEFabcdef0123456789'.padEnd(40, '0')}`
    await expectStatus(await supplyOf(address), 404, 5)
    expect((await supplyOf(STOCK.toUpperCase().replace('0X', '0x'))).status).toBe(200)
  })

  test('totalSupply() does not see writes of decimals()', async () => {
    expect(await (await supplyOf(COUNTING)).text()).toBe('0.1')
  })

  test('needs no key and no header', async () => {
    expect((await supplyOf(STOCK)).status).toBe(200)
  })
})

describe('any other outcome is an rpcStatus', () => {
  test.each([
    ['not hex', `0x${'g'.repeat(40)}`],
    ['too short', `0x${'1'.repeat(39)}`],
    ['too long', `0x${'1'.repeat(41)}`],
    ['without 0x', '1'.repeat(40)],
    ['0X in front', `0X${'1'.repeat(40)}`],
    ['a new line behind', `0x${'1'.repeat(40)}%0a`],
    ['undecodable', '%ff'],
    ['incomplete escape', '%'],
    ['a name', '__proto__'],
  ])('an address that is %s: 400, code 3', async (_, address) => {
    await expectStatus(await supplyOf(address), 400, 3)
  })

  test.each([
    ['an account without code', OWNER],
    ['nobody', `0x${'99'.repeat(20)}`],
    ['a contract that answers nothing', NO_TOKEN],
    ['a contract that fails', FAILING],
    ['a contract without decimals', NO_DECIMALS],
    ['a contract with decimals that are no uint8', WIDE_DECIMALS],
    ['a precompile', `0x${'1'.padStart(40, '0')}`],
  ])('%s is no token: 404, code 5', async (_, address) => {
    await expectStatus(await supplyOf(address), 404, 5)
  })

  test.each([
    '/v1/',
    '/v1/tokenized-stocks/total-supply',
    '/v1/tokenized-stocks/total-supply/',
    `/v1/tokenized-stocks/total-supply/${STOCK}/more`,
    '/v1/nothing',
    '/v1/..%2f..%2fetc',
    '/rpc',
    '/v1',
    '/v2/tokenized-stocks/total-supply/0x1',
  ])('the unknown path %s: 404, code 5', async (path) => {
    await expectStatus(await get(path), 404, 5)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'SEARCH', 'LOCK', 'PURGE'])(
    'the verb %s: 405, code 12',
    async (method) => {
      await expectStatus(await get(`/v1/tokenized-stocks/total-supply/${STOCK}`, { method }), 405, 12)
    },
  )

  test.each([
    ['application/json', '{'],
    ['application/xml', '<a/>'],
    ['text/html', ''],
    ['application/octet-stream', 'x'.repeat(6 * 1024 * 1024)],
  ])('a body of %s does not hide a wrong verb or path', async (type, body) => {
    const init = { method: 'POST', headers: { 'content-type': type }, body }
    await expectStatus(await get(`/v1/tokenized-stocks/total-supply/${STOCK}`, init), 405, 12)
    await expectStatus(await get('/v1/nothing', init), 404, 5)
  })
})

describe('a request of any length', () => {
  test.each([
    ['a long address', `0x${'1'.repeat(10_000)}`],
    ['a long address that cannot be decoded', `${'1'.repeat(10_000)}%`],
  ])('%s: 400, code 3, and the answer does not repeat it', async (_, address) => {
    const response = await supplyOf(address)
    const text = await response.clone().text()
    await expectStatus(response, 400, 3)
    expect(text.length).toBeLessThan(200)
  })
})

test('a foreign host is rejected with code 7 on paths of REST', async () => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const path = `/v1/tokenized-stocks/total-supply/${STOCK}`
    request(`${server.url}${path}`, { headers: { host: 'evil.example' } }, resolve)
      .on('error', reject)
      .end()
  })
  let body = ''
  for await (const chunk of response) body += chunk
  expect(response.statusCode).toBe(403)
  expect(JSON.parse(body)).toEqual({ code: 7, message: expect.stringContaining('invalid host'), details: [] })
})

describe('versioning', () => {
  test('paths have the prefix /v1 and no other', async () => {
    for (const prefix of ['', '/v2', '/V1']) {
      const response = await get(`${prefix}/tokenized-stocks/total-supply/${STOCK}`)
      expect(response.status).toBe(404)
    }
  })
})
