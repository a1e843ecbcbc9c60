import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Acceptance } from '../websocket/socket-endpoint.ts'
import { AdoptedSockets } from './adopted-sockets.ts'

const HANDSHAKE = {
  upgrade: 'websocket',
  connection: 'upgrade',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}

const LIMITS = { maxIncomingBytes: 1_000_000, maxFragments: 16, requestTimeoutMs: 10 }

async function adopt(acceptance: Acceptance, headers: Readonly<Record<string, string>>) {
  const adopted = new AdoptedSockets(LIMITS, { endpoint: { maxPayloadBytes: 1_000_000, accept: () => acceptance } })
  // A socket as received from another process.
  const server = createServer({ allowHalfOpen: false }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  // The client never closes its side.
  const client = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true })
  let response = ''
  client
    .on('error', () => undefined)
    .on('data', (bytes) => {
      response += bytes
    })
  const ended = once(client, 'end')
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  const [socket] = await accepted
  const closed = once(socket, 'close')
  adopted.take(
    { kind: 'upgrade', target: '/replica', headers, following: Buffer.alloc(0), id: 'a', address: '::1' },
    socket,
  )
  return { adopted, client, ended: ended.then(() => response), closed }
}

test.each([
  [
    'one whose endpoint refuses it',
    { kind: 'refused', refusal: { status: 503, body: 'full' } } as const,
    HANDSHAKE,
    /^HTTP\/1\.1 503 [\s\S]*full$/,
  ],
  [
    'one that is no WebSocket handshake',
    { kind: 'accepted', serve: () => expect.unreachable() } as const,
    { ...HANDSHAKE, 'sec-websocket-key': 'short' },
    /^HTTP\/1\.1 400 /,
  ],
])('closes a refused connection even if its client does not: %s', async (...row) => {
  const [, acceptance, headers, reply] = row
  const { ended, closed } = await adopt(acceptance, headers)
  expect(await ended).toMatch(reply)
  await closed
})

test('counts the bytes of an incomplete message, and closes the socket when it is not complete in time', async () => {
  const session = { finish: async () => undefined, goAway: () => undefined }
  const { adopted, client, ended, closed } = await adopt({ kind: 'accepted', serve: () => session }, HANDSHAKE)
  let used = 0
  // A masked frame of 60,000 bytes of which 1,000 are sent.
  client.once('data', () => client.write(Buffer.concat([Buffer.from('81feea6000000000', 'hex'), Buffer.alloc(1_000)])))
  const watching = setInterval(() => {
    used = Math.max(used, adopted.incomingBytes)
  })

  const response = await ended
  clearInterval(watching)

  expect(response.slice(response.indexOf('\r\n\r\n'))).toContain('the message was not complete in time')
  expect(used).toBe(1_008)
  await closed
  expect(adopted.incomingBytes).toBe(0)
  adopted.close()
})
