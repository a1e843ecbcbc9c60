import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer as createSocketServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ECHO, requestServer, startEcho } from '../../test/support/echo-server.ts'
import type { ServerOptions } from './create-server.ts'

/** Responds with the address by which it counts the client. */
const ADDRESS = { ...ECHO, handle: (_: string, client: { readonly address: string }) => client.address }

async function start(options: Partial<ServerOptions>) {
  const server = await startEcho(options, { rpc: ADDRESS })
  onTestFinished(() => server.close())
  return {
    server,
    ask: (headers: Record<string, string> = {}) => requestServer({ port: server.port, body: '1', headers }),
  }
}

test('requests of one connection count for the clients that the proxy names', async () => {
  const { ask } = await start({ trustProxy: ['127.0.0.1'] })

  expect(await ask({ 'x-forwarded-for': '203.0.113.9' })).toMatchObject({ status: 200, body: '203.0.113.9' })
  expect(await ask({ forwarded: 'for=203.0.113.10' })).toMatchObject({ body: '203.0.113.10' })
  expect(await ask()).toMatchObject({ body: '127.0.0.1' })
})

test('IPv6 clients behind a proxy are counted by their /64 network', async () => {
  const { ask } = await start({ trustProxy: ['127.0.0.1'] })

  expect(await ask({ 'x-forwarded-for': '2001:db8:1:2:3::4' })).toMatchObject({ body: '2001:db8:1:2' })
})

test('headers of a peer that is not in --trust-proxy are ignored', async () => {
  const { ask } = await start({ trustProxy: ['192.0.2.0/24'] })

  expect(await ask({ 'x-forwarded-for': '203.0.113.9' })).toMatchObject({ status: 200, body: '127.0.0.1' })
  expect(await ask({ 'x-forwarded-for': 'nonsense' })).toMatchObject({ status: 200, body: '127.0.0.1' })
})

test('a trusted proxy that names no client gets 400, and its connection is closed', async () => {
  const { ask } = await start({ trustProxy: ['127.0.0.1'] })

  const refused = await ask({ 'x-forwarded-for': 'unknown' })

  expect(refused).toMatchObject({ status: 400, headers: { connection: 'close' } })
  expect(refused.body).toContain('the proxy does not name one client')
})

test('each client behind a proxy has a rate limit of its own', async () => {
  const { server } = await start({ trustProxy: ['127.0.0.1'], rateLimit: { rate: 1, burst: 1 } })
  const statusFor = async (client: string) => {
    const headers = { 'x-forwarded-for': client }
    return (await requestServer({ port: server.port, method: 'GET', path: '/x', headers })).status
  }

  expect(await statusFor('203.0.113.9')).toBe(418)
  expect(await statusFor('203.0.113.9')).toBe(429)
  expect(await statusFor('203.0.113.10')).toBe(418)
})

test('a proxy on a Unix socket is trusted as unix', async () => {
  const { server } = await start({ isHanded: true, port: 1, trustProxy: ['unix'] })
  const directory = mkdtempSync(join(tmpdir(), 'tickertape-unix-'))
  const socketPath = join(directory, 'socket')
  const listener = createSocketServer((socket) => server.take(socket))
  await once(listener.listen(socketPath), 'listening')

  const outgoing = request({
    socketPath,
    method: 'POST',
    headers: { host: 'localhost', 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' },
  })
  outgoing.end('1')
  const [response] = await once(outgoing, 'response')

  expect((await buffer(response)).toString()).toBe('203.0.113.9')
  listener.close()
  rmSync(directory, { recursive: true })
})

test('a TCP client that disconnected before it was served is not taken for a proxy on a Unix socket', async () => {
  const { server } = await start({ isHanded: true, port: 1, trustProxy: ['unix'] })
  const listener = createSocketServer()
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(listener, 'connection')) as [Socket]
  client.resetAndDestroy()
  await once(client, 'close')
  expect(socket.remoteAddress).toBeUndefined()

  server.take(socket)

  expect(socket.destroyed).toBe(true)
  listener.close()
})

test('requests with signs of a proxy have the access of clients outside, and the first one is reported', async () => {
  const onFirst = vi.fn()
  const outside = { metrics: false, hasPages: false, onFirst, rateLimit: { rate: 1, burst: 1 } }
  const { ask } = await start({ allowedOrigins: ['*'], outside })
  const origin = { origin: 'https://page.example' }

  expect((await ask(origin)).headers['access-control-allow-origin']).toBe('https://page.example')
  expect(onFirst).not.toHaveBeenCalled()
  expect((await ask({ ...origin, via: '1.1 proxy' })).headers['access-control-allow-origin']).toBeUndefined()
  await ask({ 'x-real-ip': '203.0.113.9' })
  expect(onFirst).toHaveBeenCalledOnce()
})
