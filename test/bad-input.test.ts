import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import { word } from './support/contracts.ts'
import type { RpcResponse } from './support/json-rpc-client.ts'
import { unchangedServer } from './support/unchanged-server.ts'

const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address
const MEBIBYTE = 1024 * 1024

const server = unchangedServer()

async function responseTo(body: string, status = 200): Promise<RpcResponse> {
  const response = await server().post(body)
  expect(response.status).toBe(status)
  return (await response.json()) as RpcResponse
}

function envelope(more: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [], ...more })
}

describe('HTTP', () => {
  test('another content type is 415', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'multipart/form-data',
    ]) {
      const response = await server().post(envelope({}), { 'content-type': type })
      expect([type, response.status]).toEqual([type, 415])
      await response.text()
    }
  })

  test('no content type is 415', async () => {
    const response = await fetch(server().url, { method: 'POST', body: new Blob([envelope({})]) })
    expect(response.status).toBe(415)
  })

  test.each(['application/json; charset=utf-8', 'application/json-rpc', 'APPLICATION/JSON'])(
    '%s is the right content type',
    async (type) => {
      expect((await server().post(envelope({}), { 'content-type': type })).status).toBe(200)
    },
  )

  test('GET without a body is 200 with an empty body', async () => {
    const response = await fetch(server().url)
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test.each(['PUT', 'DELETE', 'PATCH'])('%s is 405', async (method) => {
    const init = { method, headers: { 'content-type': 'application/json' }, body: envelope({}) }
    const response = await fetch(server().url, init)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('an unknown path is 404', async () => {
    const response = await fetch(`${server().url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: envelope({}),
    })
    expect(response.status).toBe(404)
  })

  test('accepts a body of 5 MiB and rejects a longer one with 413', async () => {
    const padded = (size: number) => envelope({}).padEnd(size)
    expect((await server().post(padded(5 * MEBIBYTE))).status).toBe(200)
    expect(await announced(5 * MEBIBYTE + 1)).toBe(413)
    expect(await announced(2 ** 40)).toBe(413)
  })

  test('rejects a longer chunked body with 413', async () => {
    expect(await chunked(6 * MEBIBYTE)).toBe(413)
  })
})

/** Status of the response when only the headers of a body have arrived. */
function announced(length: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': length }
    const request = httpRequest(server().url, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode!)
      request.destroy()
    })
    request.on('error', reject)
    request.flushHeaders()
  })
}

/** Status of the response to a body of unknown length. */
function chunked(length: number): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    const request = httpRequest(server().url, { method: 'POST', headers }, (response) => resolve(response.statusCode!))
    // The server may close the connection while the rest is in transit.
    request.on('error', () => undefined)
    request.end(Buffer.alloc(length, ' '))
  })
}

describe('the envelope', () => {
  test.each([
    ['an empty body', '', -32700],
    ['no JSON', 'hello', -32700],
    ['half of it', '{"jsonrpc":"2.0","id":1,"method":"eth_chain', -32700],
    ['two of them', `${envelope({})}${envelope({})}`, -32700],
    ['an empty batch', '[]', -32600],
    ['a number', '7', -32600],
    ['null', 'null', -32600],
    ['an empty object', '{}', -32600],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, -32600],
    ['deep nesting of objects', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, -32600],
    ['deep nesting without end', '['.repeat(1_000_000), -32600],
  ])('%s', async (_, body, code) => {
    expect(await responseTo(body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } })
  })

  test.each([
    ['another version', { jsonrpc: '1.0' }, -32600],
    ['no version', { jsonrpc: undefined }, -32600],
    ['a method that is no string', { method: 7 }, -32600],
    ['no method', { method: undefined }, -32600],
    ['params that are no array', { params: { a: 1 } }, -32602],
    ['an unknown method', { method: 'eth_nothing' }, -32601],
    ['a method of a prototype', { method: 'constructor' }, -32601],
    ['the method __proto__', { method: '__proto__' }, -32601],
    ['a method that no key is held for', { method: 'eth_sendTransaction', params: [{}] }, -32601],
    ['eth_fillTransaction, which would fill without the pool', { method: 'eth_fillTransaction', params: [{}] }, -32601],
  ])('%s', async (_, more, code) => {
    expect(await responseTo(envelope(more))).toMatchObject({ id: 1, error: { code } })
  })

  test('a batch reports invalid items at their index', async () => {
    const items = [envelope({ id: 'a' }), '7', '{}', envelope({ method: 'nothing', id: 'b' })]
    expect(await responseTo(`[${items.join(',')}]`)).toMatchObject([
      { id: 'a', result: '0x7a69' },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: 'b', error: { code: -32601 } },
    ])
  })

  test('rejects a batch of more than 1,000', async () => {
    const batch = Array.from({ length: 1_001 }, () => envelope({}))
    expect((await responseTo(`[${batch.join(',')}]`)).error?.code).toBe(-32600)
  })

  test('treats __proto__ keys like any other', async () => {
    const polluting = '"__proto__":{"polluted":true,"fromBlock":"0x0"}'
    const params = `[{${polluting},"fromBlock":"latest"}]`
    const body = `{${polluting},"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":${params}}`
    expect(await responseTo(body)).toEqual({ jsonrpc: '2.0', id: 1, result: [] })
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    const overrides = `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{},"latest",{${polluting}}]}`
    expect((await responseTo(overrides)).error?.code).toBe(-32602)
  })
})

describe('parameters', () => {
  const ADDRESS = OWNER
  test.each([
    ['malformed hex', 'eth_getBalance', ['0xzz', 'latest']],
    ['a wrong length', 'eth_getBalance', ['0x1234', 'latest']],
    ['a longer one', 'eth_getBalance', [`${ADDRESS}00`, 'latest']],
    ['odd digits', 'eth_sendRawTransaction', ['0x123']],
    ['no 0x', 'eth_getBalance', [ADDRESS.slice(2), 'latest']],
    ['a number for a string', 'eth_getBlockByNumber', [1, false]],
    ['a string for a boolean', 'eth_getBlockByNumber', ['latest', 'false']],
    ['leading zeros', 'eth_getBlockByNumber', ['0x01', false]],
    ['an empty quantity', 'eth_getBlockByNumber', ['0x', false]],
    ['a negative quantity', 'eth_getBlockByNumber', ['-0x1', false]],
    ['too large a quantity', 'eth_getBlockByNumber', [`0x1${'0'.repeat(16)}`, false]],
    ['a missing parameter', 'eth_getBlockByNumber', ['latest']],
    ['a null for a required one', 'eth_getCode', [null, 'latest']],
    ['no parameters', 'eth_getCode', []],
    ['a surplus parameter', 'eth_getCode', [ADDRESS, 'latest', 1]],
    ['a surplus parameter of none', 'eth_chainId', [1]],
    ['an unknown tag', 'eth_getBlockByNumber', ['newest', false]],
    ['a tag with capitals', 'eth_getCode', [ADDRESS, 'Latest']],
    ['an unknown tag in a filter', 'eth_getLogs', [{ fromBlock: 'unsealed' }]],
    ['a filter that is no object', 'eth_getLogs', ['0x1']],
    ['a topic of a wrong length', 'eth_getLogs', [{ topics: ['0x01'] }]],
    ['topics that are no array', 'eth_getLogs', [{ topics: word(1) }]],
    ['an address of a wrong length', 'eth_getLogs', [{ address: ['0x01'] }]],
    ['a reversed range', 'eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x0' }]],
    ['a range beyond the head', 'eth_getLogs', [{ fromBlock: '0x0', toBlock: '0xffff' }]],
    ['a payload that is no object', 'eth_simulateV1', [[], 'pending']],
    ['calls that are no array', 'eth_simulateV1', [{ blockStateCalls: [{ calls: {} }] }, 'pending']],
    ['an override for no address', 'eth_simulateV1', [{ blockStateCalls: [{ stateOverrides: { a: {} } }] }, 'latest']],
    ['a storage key of 33 bytes', 'eth_getStorageAt', [ADDRESS, `${word(1)}00`, 'latest']],
    ['an object that names no block', 'eth_getCode', [ADDRESS, {}]],
    ['an object that names two', 'eth_getCode', [ADDRESS, { blockNumber: '0x0', blockHash: word(1) }]],
  ])('%s: -32602', async (_, method, params) => {
    const { error } = await server().request(method, ...params)
    expect(error).toEqual({ code: -32602, message: expect.stringMatching(/./) })
  })

  test.each([
    ['an unknown height', 'eth_getBalance', [ADDRESS, '0xffff'], 'header not found'],
    ['an unknown hash', 'eth_call', [{}, word(1)], 'header not found'],
    ['an unknown hash in a filter', 'eth_getLogs', [{ blockHash: word(1) }], 'unknown block'],
    ['five topics', 'eth_getLogs', [{ topics: [null, null, null, null, null] }], 'exceed max topics'],
  ])('%s: -32000', async (_, method, params, message) => {
    expect((await server().request(method, ...params)).error).toEqual({ code: -32000, message })
  })
})

describe('WebSocket', () => {
  test('bad messages get the same errors as over HTTP, and the connection stays open', async () => {
    const socket = new WebSocket(server().ws)
    await once(socket, 'open')
    for (const [text, code] of [
      ['', -32700],
      ['hello', -32700],
      ['[]', -32600],
      ['['.repeat(100_000), -32600],
      [envelope({ method: 'eth_nothing' }), -32601],
      [envelope({ method: 'eth_subscribe', params: ['newNothing'] }), -32601],
      [envelope({ method: 'eth_subscribe', params: ['logs', 7] }), -32602],
      [envelope({ method: 'eth_unsubscribe', params: [7] }), -32602],
    ] as const) {
      socket.send(text)
      const [data] = await once(socket, 'message')
      expect(JSON.parse(String(data)).error.code).toBe(code)
    }
    socket.send(Buffer.alloc(5 * MEBIBYTE + 1))
    const [code] = await once(socket, 'close')
    expect(code).toBe(1009)
  })

  test('rejects an unknown path', async () => {
    const [error] = await once(new WebSocket(`${server().ws}/other`), 'error')
    expect(String(error)).toContain('404')
  })
})
