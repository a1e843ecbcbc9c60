import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { startEcho } from '../../../test/support/echo-server.ts'
import { DEFAULT_LIMITS } from '../transport/limits.ts'

const HANDSHAKE = [
  'GET / HTTP/1.1',
  'Host: localhost',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Sec-WebSocket-Version: 13',
  '\r\n',
].join('\r\n')

/** A text frame of a client, with a mask of zeros. */
function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

test('answers the messages that the first client of a server sends before its handshake is answered', async () => {
  const server = await startEcho({})
  onTestFinished(() => server.close())
  const socket = connect(server.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')

  socket.write(Buffer.concat([Buffer.from(HANDSHAKE), frame('"with it"')]))
  setImmediate(() => socket.write(frame('"after it"')))

  let received = ''
  for await (const chunk of socket) {
    received += chunk
    if (received.includes('"after it"')) break
  }
  expect(received).toMatch(/^HTTP\/1\.1 101 [\s\S]*"with it"[\s\S]*"after it"/)
})

test('opens no more WebSockets than its limit allows when the first ones arrive together', async () => {
  const server = await startEcho({ limits: { ...DEFAULT_LIMITS, maxSockets: 2 } })
  onTestFinished(() => server.close())

  const sockets = Array.from({ length: 5 }, () => new WebSocket(`ws://127.0.0.1:${server.port}`))
  onTestFinished(() => sockets.forEach((socket) => void socket.terminate()))
  const opened = sockets.map((socket) =>
    once(socket, 'open').then(
      () => true,
      () => false,
    ),
  )

  expect((await Promise.all(opened)).filter((isOpen) => isOpen)).toHaveLength(2)
})
