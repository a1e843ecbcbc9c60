import { once } from 'node:events'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { NotificationText } from '../../rpc/subscriptions/shared-text.ts'
import { NotificationGroup } from '../../rpc/subscriptions/shared-texts.ts'
import { textFrames } from './text-frames.ts'

const heads = fc.string({ unit: 'grapheme-ascii', maxLength: 200 })
const results = fc.array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.constant('€'.repeat(30_000))), {
  minLength: 1,
  maxLength: 20,
})

test('property: a WebSocket client reads each message of several in one write', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (_, request) => {
    server.once('frames', (frames: string) => request.socket.write(frames, 'latin1'))
    server.emit('ready')
  })
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await fc.assert(
    fc.asyncProperty(heads, heads, results, async (first, second, written) => {
      const shared = new NotificationGroup(written.map((result) => new NotificationText(result)))
      const ready = once(server, 'ready')
      const client = new WebSocket(`ws://127.0.0.1:${port}`)
      await Promise.all([ready, once(client, 'open')])
      const expected = [first, second].flatMap((head) => shared.texts.map(({ text }) => `${head}${text}`))
      const received: string[] = []
      const all = new Promise<void>((resolve, reject) => {
        client.on('error', reject)
        client.on('message', (data, isBinary) => {
          expect(isBinary).toBe(false)
          if (received.push(data.toString()) === expected.length) resolve()
        })
      })
      server.emit('frames', textFrames(first, shared) + textFrames(second, shared))
      await all
      expect(received).toEqual(expected)
      client.terminate()
    }),
    { numRuns: 100 },
  )
  server.close()
})
