import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { requestServer, startEcho } from '../../../test/support/echo-server.ts'
import type { RunningServer } from '../create-server.ts'
import type { Section } from './exchange.ts'

/** Answers with what it was sent. */
const SECTION: Section = {
  path: '/part',
  handle: async ({ method, target }, body, { hasOutsideAccess }) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method, target, body, hasOutsideAccess }),
  }),
}

let server: RunningServer
afterEach(() => server.close())

async function start(options: Parameters<typeof startEcho>[0] = {}, section = SECTION) {
  server = await startEcho(options, { section })
  return (request: Omit<Parameters<typeof requestServer>[0], 'port'>) =>
    requestServer({ port: server.port, ...request })
}

test('a request below the path of a section reaches it with its body', async () => {
  const send = await start()

  const post = await send({ path: '/part/a?b=1', body: 'form=1', headers: { 'content-type': 'text/plain' } })
  const get = await send({ path: '/part', method: 'GET' })
  const others = await Promise.all(['/parts', '/par', '/v1/part'].map((path) => send({ path, method: 'GET' })))

  expect(JSON.parse(post.body)).toEqual({
    method: 'POST',
    target: '/part/a?b=1',
    body: 'form=1',
    hasOutsideAccess: false,
  })
  expect(JSON.parse(get.body)).toMatchObject({ method: 'GET', body: '' })
  expect(others.map(({ status }) => status)).toEqual([418, 418, 418])
})

test('a body with gzip is unpacked within the limit of bodies', async () => {
  const send = await start({ limits: { maxBodyBytes: 1_000 } })
  const packed = (text: string) =>
    fetch(`http://127.0.0.1:${server.port}/part`, {
      method: 'POST',
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(text),
    })

  expect(await (await packed('text')).json()).toMatchObject({ body: 'text' })
  expect((await packed('x'.repeat(1_001))).status).toBe(413)
  expect((await send({ path: '/part', headers: { 'content-encoding': 'gzip' }, body: 'no gzip' })).status).toBe(400)
  expect((await send({ path: '/part', headers: { 'content-encoding': 'br' }, body: 'x' })).status).toBe(415)
  expect((await send({ path: '/part', body: 'x'.repeat(1_001) })).status).toBe(413)
})

test('a page of an origin that is not allowed can read nothing and send nothing', async () => {
  const send = await start({ allowedOrigins: ['https://app.example'] })
  const from = (origin: string, method: string) => send({ path: '/part', method, headers: { origin } })

  const allowed = await from('https://app.example', 'POST')
  const preflight = await from('https://app.example', 'OPTIONS')
  const foreign = await from('https://evil.example', 'POST')
  const reading = await from('https://evil.example', 'GET')
  const own = await from(`http://127.0.0.1:${server.port}`, 'POST')

  expect([allowed, preflight, foreign, reading, own].map(({ status }) => status)).toEqual([200, 204, 403, 200, 200])
  const readers = [allowed, foreign, reading].map(({ headers }) => headers['access-control-allow-origin'])
  expect(readers).toEqual(['https://app.example', undefined, undefined])
})

test('requests count towards the rate limit of their client', async () => {
  const send = await start({ rateLimit: { rate: 1, burst: 10 } })

  expect((await send({ path: '/part', body: 'x' })).status).toBe(200)
  const limited = await send({ path: '/part', body: 'x' })
  expect([limited.status, Number(limited.headers['retry-after']) > 0]).toEqual([429, true])
})
