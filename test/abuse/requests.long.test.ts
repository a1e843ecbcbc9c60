import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type AttackedNode, rawPost, startAttackedNode } from './attacked-node.ts'

const MEBIBYTE = 1024 * 1024
const ADDRESS = `0x${'11'.repeat(20)}`

let node: AttackedNode
beforeAll(async () => {
  node = await startAttackedNode()
})
afterAll(() => node.stop())

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const item = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })
const posted = async (body: string) => (await (await node.post(body)).json()) as { error?: { code: number } }

test('oversized bodies: announced, streamed, nested and over WebSocket', async () => {
  await node.survives(async () => {
    const announced = times(50, () => rawPost(node.port, { headers: { 'content-length': 2 ** 40 } }))
    expect(new Set(await Promise.all(announced))).toEqual(new Set([413]))
    const chunk = Buffer.alloc(MEBIBYTE, 'x')
    const streamed = await Promise.all(times(8, () => rawPost(node.port, { chunks: times(20, () => chunk) })))
    // If the connection closes while the client still writes, the response may be lost.
    expect(streamed.filter((status) => status !== 413 && status !== undefined)).toEqual([])
    for (const open of ['[', '{"a":']) {
      const nested = open.repeat(Math.floor((4 * MEBIBYTE) / open.length))
      expect((await posted(nested)).error?.code).toBe(-32600)
    }
    const wide = `{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[${'[],'.repeat(MEBIBYTE)}[]]}`
    expect((await posted(wide)).error?.code).toBe(-32600)
    const closes = await Promise.all(
      times(4, async () => {
        const socket = new WebSocket(node.ws)
        await once(socket, 'open')
        socket.on('error', () => undefined)
        socket.send(Buffer.alloc(20 * MEBIBYTE, 'x').toString())
        const [code] = await once(socket, 'close')
        return code
      }),
    )
    expect(closes.filter((code) => code !== 1009 && code !== 1006)).toEqual([])
  })
})

test('batch amplification: hundreds of thousands of items in a body, and the largest batches at once', async () => {
  await node.survives(async () => {
    const many = `[${'{},'.repeat(1_500_000)}{}]`
    for (let round = 0; round < 3; round++) expect((await posted(many)).error?.code).toBe(-32600)
    const blocks = times(1_000, () => item('eth_getBlockByNumber', 'pending', true))
    const codes = times(1_000, () => item('eth_getCode', '0xcA11bde05977b3631167028862bE2a173976CA11', 'latest'))
    const responses = await Promise.all(
      times(20, async (index) => {
        const response = await node.post(JSON.stringify(index % 2 === 0 ? blocks : codes))
        return ((await response.json()) as unknown[]).length
      }),
    )
    expect(new Set(responses)).toEqual(new Set([1_000]))
  })
})

test('rate-limit bypass: items of a batch cost as much as single requests', async () => {
  const limited = await startAttackedNode('--rate-limit', '1000', '--rate-burst', '10000000')
  await limited.survives(async () => {
    const tight = await startAttackedNode('--rate-limit', '1', '--rate-burst', '100')
    const batch = JSON.stringify(times(1_000, () => item('eth_chainId')))
    const first = (await (await tight.post(batch)).json()) as { result?: string; error?: { code: number } }[]
    expect(first.filter(({ result }) => result !== undefined).length).toBeLessThanOrEqual(110)
    expect(first.at(-1)?.error?.code).toBe(-32005)
    const later = await tight.post(JSON.stringify(item('eth_chainId')))
    expect([later.status, later.headers.get('retry-after') !== null]).toEqual([429, true])
    expect(await later.json()).toMatchObject({ error: { code: -32005 } })
    expect((await fetch(`${tight.url}/health`)).status).toBe(200)
    await tight.stop()
  })
  await limited.stop()
})

test('eth_getLogs scans: endless ranges, too many criteria, many at once', async () => {
  await node.survives(async () => {
    const request = async (filter: object) => (await node.request('eth_getLogs', filter)).error?.code
    expect(await request({ fromBlock: '0x0', toBlock: '0xffffffffffffffff' })).toBeDefined()
    expect(await request({ fromBlock: '0x0', toBlock: '0x1fffffffffffff' })).toBeDefined()
    const addresses = times(1_001, (index) => `0x${index.toString(16).padStart(40, '0')}`)
    expect(await request({ address: addresses })).toBe(-32000)
    expect(await request({ topics: [times(1_001, () => `0x${'22'.repeat(32)}`)] })).toBe(-32000)
    const whole = times(300, () =>
      request({ fromBlock: 'earliest', toBlock: 'pending', address: addresses.slice(0, 1_000) }),
    )
    // A result or a timeout.
    const codes = new Set(await Promise.all(whole))
    expect([...codes].filter((code) => code !== undefined && code !== -32002)).toEqual([])
  })
})

test('prototype pollution: members named like those of Object.prototype', async () => {
  await node.survives(async () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__']
    for (const name of names) {
      await posted(`{"jsonrpc":"2.0","id":1,"method":"${name}","params":[]}`)
      await posted(`{"${name}":{"method":"eth_chainId","isAdmin":true},"jsonrpc":"2.0","id":1}`)
      await posted(
        `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"${name}":{"to":"${ADDRESS}"}},"latest",{"${name}":{"balance":"0x1"}}]}`,
      )
      await posted(`{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"${name}":{"address":"${ADDRESS}"}}]}`)
      await fetch(`${node.url}/v1/tokenized-stocks/total-supply/${name}`)
    }
    expect(await node.result('rpc_modules')).not.toHaveProperty('isAdmin')
    expect((await node.request('eth_chainId')).result).toBe('0x7a69')
    expect((await node.request('isAdmin')).error?.code).toBe(-32601)
  })
})

test('regular expressions: long texts in place of short ones', async () => {
  await node.survives(async () => {
    const long = '0x'.repeat(MEBIBYTE)
    const spaces = `${' '.repeat(2 * MEBIBYTE)}x`
    for (const text of [long, spaces, `0x${'0'.repeat(2 * MEBIBYTE)}`, `${'1'.repeat(2 * MEBIBYTE)}n`]) {
      for (const [method, ...params] of [
        ['eth_getBalance', text, 'latest'],
        ['eth_getBalance', ADDRESS, text],
        ['eth_getTransactionByHash', text],
        ['eth_getStorageAt', ADDRESS, text, 'latest'],
        ['eth_call', { to: ADDRESS, gas: text, value: text }, 'latest'],
        [text],
      ] as const) {
        expect((await node.request(method, ...params)).error?.code).toBeLessThan(-32600)
      }
    }
    const header = 'a'.repeat(12_000)
    for (const name of ['host', 'x-request-id', 'origin']) {
      expect([403, 200]).toContain(
        await rawPost(node.port, { headers: { [name]: header }, chunks: [Buffer.from('{}')] }),
      )
    }
    for (const path of [`/${'%2e'.repeat(4_000)}`, `/v1/tokenized-stocks/total-supply/${'%41'.repeat(4_000)}`]) {
      expect((await fetch(`${node.url}${path}`)).status).toBeGreaterThanOrEqual(400)
    }
  })
})

test('hash flooding, log injection and header smuggling', async () => {
  await node.survives(async () => {
    // Integer-like names that collide in a small hash table, and many others.
    const members = times(200_000, (index) => `"${index * 65_536}":1`).join(',')
    await posted(`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{${members}}]}`)
    const forged = 'x\\n{\\"level\\":60,\\"msg\\":\\"forged\\"}'
    await posted(`{"jsonrpc":"2.0","id":"${forged}","method":"${forged}","params":["${forged}"]}`)
    expect(await smuggled('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')).toMatch(/^HTTP\/1.1 400/)
    expect(await smuggled('Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}')).toMatch(/^HTTP\/1.1 400/)
    expect(await smuggled('X-Request-Id: a\nSet-Cookie: b\r\nContent-Length: 2\r\n\r\n{}')).not.toMatch(/set-cookie/i)
    expect(node.log.filter((line) => line.includes('forged'))).toEqual([])
  })
})

/** The whole response to a POST with these headers, and the data after it. */
async function smuggled(rest: string): Promise<string> {
  const socket = connect(node.port, '127.0.0.1')
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${rest}`)
  const [response] = await once(socket, 'data')
  socket.destroy()
  return String(response)
}
