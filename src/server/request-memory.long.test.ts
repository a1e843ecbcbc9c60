import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startEcho } from '../../test/support/echo-server.ts'
import { HEAD, heldRpc, open, post, rest, until } from '../../test/support/http-connections.ts'

const MEBIBYTE = 1024 * 1024

test('bodies beyond the limit wait, and those that stall are refused with 503 until none waits', async () => {
  const server = await startEcho({ limits: { maxIncomingBytes: MEBIBYTE } })
  const half = `${HEAD}Content-Length: ${4 * MEBIBYTE}\r\n\r\n${'x'.repeat(2 * MEBIBYTE)}`
  const sockets = await Promise.all(Array.from({ length: 3 }, () => open(server)))
  const responses: string[] = []
  for (const socket of sockets) {
    socket.write(half)
    rest(socket).then(
      (text) => responses.push(text),
      () => undefined,
    )
  }

  await until(() => responses.length === 2)

  expect(responses.map((text) => text.split('\r\n', 1)[0])).toEqual(Array(2).fill('HTTP/1.1 503 Service Unavailable'))
  expect(responses.every((text) => /\r\nretry-after: 1\r\n/i.test(text))).toBe(true)
  expect(server.incomingBytes).toBeLessThanOrEqual(2 * MEBIBYTE)
  for (const socket of sockets) socket.destroy()
  await until(() => server.incomingBytes === 0)
  await server.close()
})

test('bodies that exceed the limit together are all answered while their clients send', async () => {
  const server = await startEcho({ limits: { maxIncomingBytes: MEBIBYTE } })
  const body = JSON.stringify('x'.repeat(2 * MEBIBYTE))
  const sockets = await Promise.all(Array.from({ length: 6 }, () => open(server)))
  for (const socket of sockets) socket.write(post(body, 'Connection: close\r\n'))

  const responses = await Promise.all(sockets.map(rest))

  expect(responses.every((text) => text.startsWith('HTTP/1.1 200 ') && text.endsWith(body))).toBe(true)
  expect(server.incomingBytes).toBe(0)
  await server.close()
})

test('a body counts until its response, and that of a connection that closes no longer', async () => {
  const { rpc, held } = heldRpc()
  const server = await startEcho({}, { rpc })
  const body = JSON.stringify('x'.repeat(1_000))
  const answered = await open(server)
  answered.write(post(body))
  const gone = await open(server)
  gone.write(`${HEAD}Content-Length: 9\r\n\r\n"half`)
  await until(() => held.length === 1 && server.incomingBytes === body.length + 5)

  gone.destroy()
  await until(() => server.incomingBytes === body.length)
  held[0]!.goOn()
  await until(() => server.incomingBytes === 0)

  answered.destroy()
  await server.close()
})

test('fragments of WebSocket messages count until the message is complete', async () => {
  const server = await startEcho()
  const client = new WebSocket(`ws://127.0.0.1:${server.port}`)
  await once(client, 'open')
  const fragment = 'x'.repeat(100_000)

  client.send(fragment, { fin: false })
  client.send(fragment, { fin: false })
  await until(() => server.incomingBytes >= 200_000)
  client.ping()
  await once(client, 'pong')
  expect(server.incomingBytes).toBeGreaterThanOrEqual(200_000)
  client.send(fragment, { fin: true })
  const [message] = await once(client, 'message')

  expect(message.length).toBe(300_000)
  await until(() => server.incomingBytes === 0)
  client.terminate()
  await server.close()
})

test('a WebSocket that stalls in a message while others wait is closed with 1013', async () => {
  const server = await startEcho({ limits: { maxIncomingBytes: MEBIBYTE } })
  const clients = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const client = new WebSocket(`ws://127.0.0.1:${server.port}`)
      await once(client, 'open')
      return client
    }),
  )
  const codes: number[] = []
  for (const client of clients) {
    client.on('close', (code) => codes.push(code))
    client.send('x'.repeat(2 * MEBIBYTE), { fin: false })
  }

  await until(() => codes.length === 2)

  expect(codes).toEqual([1013, 1013])
  expect(server.incomingBytes).toBeLessThanOrEqual(2.1 * MEBIBYTE)
  for (const client of clients) client.terminate()
  await until(() => server.incomingBytes === 0)
  await server.close()
})

test('a WebSocket message that is not complete within the request timeout closes the socket with 1013', async () => {
  const server = await startEcho({ limits: { requestTimeoutMs: 100 } })
  const client = new WebSocket(`ws://127.0.0.1:${server.port}`)
  await once(client, 'open')
  client.send('"complete"')
  expect(String((await once(client, 'message'))[0])).toBe('"complete"')

  client.send('half', { fin: false })
  const [code, reason] = await once(client, 'close')

  expect([code, String(reason)]).toEqual([1013, 'the message was not complete in time'])
  await until(() => server.incomingBytes === 0)
  await server.close()
})

test.each([
  ['with a length', (body: string) => `${HEAD}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`],
  ['in chunks', chunkedPost],
])('large bodies %s are handled unchanged, between small ones', async (_, request) => {
  const server = await startEcho({ limits: { maxBodyBytes: 4 * MEBIBYTE } })
  const socket = await open(server)
  socket.setEncoding('utf8')
  const bodies = [100, 3 * MEBIBYTE, 10, 130_000, 131_073, 20].map((size) => JSON.stringify('ü€z'.repeat(size / 6)))
  socket.write(bodies.map(request).join(''))
  socket.end()

  const text = await rest(socket)

  expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(bodies.length)
  const received = text.match(/"[ü€z]*"/g) ?? []
  expect(bodies.map((body, index) => body === received[index])).toEqual(bodies.map(() => true))
  expect(server.incomingBytes).toBe(0)
  await server.close()
})

test('large WebSocket messages and the pings between their fragments are handled unchanged', async () => {
  const server = await startEcho()
  const client = new WebSocket(`ws://127.0.0.1:${server.port}`)
  await once(client, 'open')
  const pongs: string[] = []
  client.on('pong', (payload) => pongs.push(String(payload)))
  const fragments = [300_000, 1_000, 70_000, 2_000_000].map((size, index) => String(index).repeat(size))

  for (const [index, fragment] of fragments.entries()) {
    client.send(fragment, { fin: index === fragments.length - 1 })
    client.ping(`ping ${index}`)
  }
  const [message] = await once(client, 'message')
  client.send('"small"')
  const [next] = await once(client, 'message')

  expect(String(message) === fragments.join('')).toBe(true)
  expect(String(next)).toBe('"small"')
  expect(pongs).toEqual(['ping 0', 'ping 1', 'ping 2', 'ping 3'])
  client.terminate()
  await server.close()
})

function chunkedPost(body: string): string {
  const parts = body.match(/.{1,50000}/gsu) ?? []
  const chunks = parts.map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join('')
  return `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`
}
