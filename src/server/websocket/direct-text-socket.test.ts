import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startEcho } from '../../../test/support/echo-server.ts'
import type { RunningServer } from '../create-server.ts'

let server: RunningServer
let socket: WebSocket
beforeEach(async () => {
  server = await startEcho({})
  socket = new WebSocket(`ws://127.0.0.1:${server.port}`)
  await once(socket, 'open')
})
afterEach(async () => {
  socket.close()
  await server.close()
})

/** Messages received by the client, in order. */
async function echoes(texts: readonly string[]): Promise<string[]> {
  const received: string[] = []
  const all = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      if (received.push(String(data)) === texts.length) resolve()
    })
  })
  for (const text of texts) socket.send(text)
  await all
  return received
}

test('sends messages unchanged at every boundary of the frame header', async () => {
  const lengths = [3, 124, 125, 126, 127, 128, 255, 256, 15 * 1024 - 1, 15 * 1024, 15 * 1024 + 1, 65_535, 65_536]
  const texts = lengths.map((length) => JSON.stringify('x'.repeat(length - 2)))
  expect(await echoes(texts)).toEqual(texts)
})

test('keeps the order of ASCII and other messages', async () => {
  const texts = Array.from({ length: 60 }, (_, index) => {
    const letter = ['a', 'é', '股', '\u{1f4c8}'][index % 4]!
    return JSON.stringify(`${index}${letter.repeat(index % 3 === 0 ? 20_000 : 10)}`)
  })
  expect(await echoes(texts)).toEqual(texts)
})
