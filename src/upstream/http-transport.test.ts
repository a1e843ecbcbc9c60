import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { httpTransport, ReceivedBytes } from './http-transport.ts'

let server: Server
afterEach(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))

async function listen(listener: RequestListener): Promise<string> {
  server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function send(url: string, maxBytes = 1_000, signal = new AbortController().signal): Promise<string> {
  return httpTransport({ url, maxBytes }, { fetch, now: () => 0 })('[]', signal)
}

test('sends credentials of the URL as basic authentication', async () => {
  const address = await listen((request, response) => {
    response.end(JSON.stringify([request.method, request.url, request.headers.authorization]))
  })
  const credentials = Buffer.from('me:a b').toString('base64')
  expect(JSON.parse(await send(`http://me:a%20b@${address}/v1/key`))).toEqual([
    'POST',
    '/v1/key',
    `Basic ${credentials}`,
  ])
})

test('prefers the authorization option over credentials of the URL', async () => {
  const address = await listen((request, response) => response.end(request.headers.authorization))
  const options = { url: `http://me:pass@${address}`, authorization: 'Bearer key', maxBytes: 100 }
  const transport = httpTransport(options, { fetch, now: () => 0 })
  expect(await transport('[]', new AbortController().signal)).toBe('Bearer key')
})

test('reuses connections', async () => {
  const ports = new Set<number>()
  const address = await listen((request, response) => {
    ports.add(request.socket.remotePort!)
    response.end('[]')
  })
  for (let count = 0; count < 20; count++) await send(`http://${address}`)
  // The next request may start before the connection counts as free.
  expect(ports.size).toBeLessThan(5)
})

test('reads a response up to the size limit and no further', async () => {
  let isClosed = false
  const address = await listen((_, response) => {
    response.on('close', () => {
      isClosed = true
    })
    const more = () => {
      while (!isClosed && response.write('x'.repeat(100))) {}
    }
    response.on('drain', more)
    more()
  })
  await expect(send(`http://${address}`)).rejects.toMatchObject({ failure: { kind: 'tooLarge', maxBytes: 1_000 } })
  while (!isClosed) await new Promise((resolve) => setImmediate(resolve))
})

test('reads a response of exactly the size limit', async () => {
  const address = await listen((_, response) => response.end('x'.repeat(1_000)))
  expect(await send(`http://${address}`)).toHaveLength(1_000)
})

test('bounds the bytes of all responses that are being received, and no longer than they are', async () => {
  const open = new Set<ServerResponse>()
  const address = await listen((_, response) => {
    response.on('close', () => open.delete(response))
    open.add(response)
    response.write('x'.repeat(300))
  })
  const parts = { fetch, now: () => 0, received: new ReceivedBytes(1_000) }
  const transport = httpTransport({ url: `http://${address}`, maxBytes: 1_000 }, parts)
  const exchange = () => transport('[]', new AbortController().signal)

  const answers = Array.from({ length: 4 }, exchange)
  await expect(
    Promise.any(
      answers.map((answer) =>
        answer.then(
          () => Promise.reject(),
          (error) => error,
        ),
      ),
    ),
  ).resolves.toMatchObject({ failure: { kind: 'tooMuch', maxBytes: 1_000 } })
  while (open.size > 3) await new Promise((resolve) => setImmediate(resolve))
  for (const response of open) response.end('x'.repeat(33))
  const outcomes = await Promise.allSettled(answers)

  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
  const whole = exchange()
  while (open.size === 0) await new Promise((resolve) => setImmediate(resolve))
  for (const response of open) response.end('x'.repeat(700))
  expect(await whole).toHaveLength(1_000)
})

test('rejects an aborted request with the reason of the abort', async () => {
  const controller = new AbortController()
  const address = await listen(() => controller.abort(new Error('too late')))
  await expect(send(`http://${address}`, 1_000, controller.signal)).rejects.toThrow('too late')
})
