import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { requestServer, startEcho } from '../../../test/support/echo-server.ts'
import { open, rest } from '../../../test/support/http-connections.ts'
import type { RunningServer } from '../create-server.ts'
import type { HttpRequest } from '../http/exchange.ts'
import { createStudioPages } from './studio-pages.ts'

let folder: string
let server: RunningServer | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'studio-'))
})
afterEach(async () => {
  await server?.close()
  server = undefined
  rmSync(folder, { recursive: true })
})

const FILES = ['index.html', 'app.js', 'debugger.js', 'style.css', 'icon.svg']

/** A server of files with known contents. */
async function start(
  options: Parameters<typeof startEcho>[0] = {},
  deps: Parameters<typeof createStudioPages>[1] = {},
) {
  for (const name of FILES) {
    writeFileSync(join(folder, name), `plain ${name}`)
    writeFileSync(join(folder, `${name}.br`), `brotli ${name}`)
    writeFileSync(join(folder, `${name}.gz`), `gzip ${name}`)
  }
  const pages = createStudioPages({ directory: pathToFileURL(`${folder}/`) }, deps)
  const running = await startEcho(options, { pages })
  server = running
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    requestServer({ port: running.port, method, path, headers })
  return { port: running.port, get }
}

/** Sends requests for a file without reading, then reads the statuses of all responses. */
async function pipelined(port: number, path: string, count: number): Promise<readonly string[]> {
  const socket = await open({ port })
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(count - 1))
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  return [...(await rest(socket)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!)
}

describe('the pages of the studio', () => {
  test('have the ABIs of the node, none without', async () => {
    const abis = [{ name: 'Poker', abi: [{ type: 'function', name: 'poke' }] }]
    const { get } = await start({}, { readAbis: async () => abis })
    const { status, headers, body } = await get('/studio/abis.json')
    expect([status, JSON.parse(body)]).toEqual([200, abis])
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff' })
    await server?.close()
    const other = await start()
    expect((await other.get('/studio/abis.json')).body).toBe('[]')
    expect((await other.get('/studio/abis.json', {}, 'POST')).status).toBe(405)
  })

  test.each(['/studio', '/studio/abis.json'])(
    '%s cannot be read by other web pages that may send JSON-RPC',
    async (path) => {
      const { get } = await start({ allowedOrigins: ['*'] })
      const headers = { origin: 'https://page.example' }
      expect((await get('/', headers)).headers['access-control-allow-origin']).toBe(headers.origin)

      const answers = [await get(path, headers), await get(path, headers, 'OPTIONS')]

      expect(answers.map(({ status }) => status)).toEqual([200, 405])
      for (const answer of answers) expect(Object.keys(answer.headers).join()).not.toContain('access-control')
    },
  )

  test('are where a browser that opens / is sent; other clients get the answer of /', async () => {
    const { get } = await start()

    const opened = await get('/', { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' })
    const probed = await get('/', { accept: '*/*' })
    const posted = await get('/', { accept: 'text/html' }, 'POST')

    expect([opened.status, opened.headers.location, opened.headers.vary]).toEqual([302, '/studio', 'accept'])
    expect([probed.status, posted.status]).toEqual([200, 200])
  })

  test('are read again after a failure', async () => {
    let reads = 0
    const readAbis = async () => {
      reads += 1
      if (reads === 1) throw new Error('too many open files')
      return []
    }
    for (const name of FILES) writeFileSync(join(folder, name), name)
    const page = createStudioPages({ directory: pathToFileURL(`${folder}/`) }, { readAbis }).get('/studio/abis.json')!
    const request = { method: 'GET' } as HttpRequest
    await expect(page(request)).rejects.toThrow('too many open files')
    expect(await page(request)).toMatchObject({ status: 200 })
    expect(await page(request)).toMatchObject({ status: 200 })
    expect(reads).toBe(2)
  })

  test.each([
    ['/studio', 'index.html', 'text/html; charset=utf-8'],
    ['/studio/app.js', 'app.js', 'text/javascript; charset=utf-8'],
    ['/studio/debugger.js', 'debugger.js', 'text/javascript; charset=utf-8'],
    ['/studio/style.css', 'style.css', 'text/css; charset=utf-8'],
    ['/studio/icon.svg', 'icon.svg', 'image/svg+xml'],
  ])('%s is %s with its type', async (path, name, type) => {
    const { get } = await start()
    const { status, headers, body } = await get(path)
    expect({ status, body, type: headers['content-type'] }).toEqual({ status: 200, body: `plain ${name}`, type })
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test.each([
    ['br, gzip', 'br', 'brotli app.js'],
    ['gzip', 'gzip', 'gzip app.js'],
    ['br;q=0, gzip;q=0.5', 'gzip', 'gzip app.js'],
    ['identity', undefined, 'plain app.js'],
  ])('a client that accepts %s gets the best encoding', async (accepted, encoding, body) => {
    const { get } = await start()
    const response = await get('/studio/app.js', { 'accept-encoding': accepted })
    expect([response.headers['content-encoding'], response.body]).toEqual([encoding, body])
  })

  test('a known tag gets 304, and one of another encoding the file', async () => {
    const { get } = await start()
    const { headers } = await get('/studio/app.js', { 'accept-encoding': 'br' })
    const tag = String(headers.etag)
    const again = await get('/studio/app.js', { 'accept-encoding': 'br', 'if-none-match': `"x", ${tag}` })
    expect([again.status, again.body]).toEqual([304, ''])
    expect((await get('/studio/app.js', { 'if-none-match': tag })).status).toBe(200)
  })

  test('run scripts of this server only, and cannot turn text into markup', async () => {
    const { get } = await start()
    const policy = String((await get('/studio')).headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("connect-src 'self';")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
  })

  test.each([
    ['http://10.0.0.1:8545/key', "'self' http://10.0.0.1:8545 ws://10.0.0.1:8545"],
    ['wss://rpc.example', "'self' https://rpc.example wss://rpc.example"],
    ['[::1]:8545', "'self' http://[::1]:8545 ws://[::1]:8545"],
    ["http://a.example/;script-src 'unsafe-inline'", "'self' http://a.example ws://a.example"],
    ['javascript:alert(1)', "'self'"],
    ["http://a.example; script-src 'unsafe-inline'", "'self'"],
    ['http://*', "'self'"],
  ])('?rpc=%s allows connections to %s', async (rpc, allowed) => {
    const { get } = await start()
    const { headers } = await get(`/studio?rpc=${encodeURIComponent(rpc)}`)
    expect(headers['content-security-policy']).toContain(`; connect-src ${allowed};`)
    expect(headers['content-security-policy']).not.toContain('unsafe')
  })

  test('a slash at the end leads to the page, with its query', async () => {
    const { get } = await start()
    const { status, headers } = await get('/studio/?rpc=a')
    expect([status, headers.location]).toEqual([308, '../studio?rpc=a'])
  })

  test('are read only', async () => {
    const { get } = await start()
    const { status, headers } = await get('/studio', {}, 'POST')
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
    expect(await get('/studio/app.js', {}, 'HEAD')).toMatchObject({ status: 200, body: '' })
  })

  test('count towards the bytes that clients leave unread', async () => {
    const { port, get } = await start({ limits: { maxUnreadBytes: 250_000 } })
    writeFileSync(join(folder, 'app.js'), 'x'.repeat(100_000))
    const statuses = await pipelined(port, '/studio/app.js', 16)
    expect(statuses).toHaveLength(16)
    expect(statuses.filter((status) => status === '503').length).toBeGreaterThan(0)
    expect(statuses.filter((status) => status === '200').length).toBeGreaterThan(0)
    // The bytes are released with the responses.
    expect((await get('/studio/app.js')).status).toBe(200)
    expect((await get('/studio/style.css')).status).toBe(200)
  })

  test('count towards the rate limit', async () => {
    const { get } = await start({ rateLimit: { rate: 0.001, burst: 50 } })
    const responses = [await get('/studio'), await get('/studio/app.js'), await get('/studio/style.css')]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    const { status, headers, body } = await get('/studio/icon.svg')
    expect([status, JSON.parse(body)]).toEqual([429, { error: expect.stringContaining('rate limit') }])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  })

  test('may open WebSockets to their own server, pages of other origins may not', async () => {
    const { port } = await start()
    const opened = (origin: string) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}`, { origin })
        socket.once('open', () => resolve(true))
        socket.once('error', () => resolve(false))
      })
    expect(await opened(`http://127.0.0.1:${port}`)).toBe(true)
    expect(await opened('http://127.0.0.1:1')).toBe(false)
    expect(await opened(`http://evil.example:${port}`)).toBe(false)
  })
})

test('without pages a page of the own origin may not open WebSockets', async () => {
  const running = await startEcho()
  server = running
  const socket = new WebSocket(`ws://127.0.0.1:${running.port}`, { origin: `http://127.0.0.1:${running.port}` })
  const [error] = await new Promise<[Error]>((resolve) => socket.once('error', (failure) => resolve([failure])))
  expect(error.message).toContain('403')
})

test('there are no pages where the studio is not built', () => {
  expect(createStudioPages({ directory: pathToFileURL(`${folder}/`) }).size).toBe(0)
})
