import { createServer, type Server } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { natsLog, natsSource } from '../../../test/support/nats.ts'
import { CANDIDATE_CHAIN } from '../../../test/support/nats-fixture.ts'

/** Clears the screen, and goes on for 100 KB. */
const HOSTILE = `\u001b[2J${'x'.repeat(100_000)}`
const INFO = { server_id: 'A', version: '2.12.0', max_payload: 1_048_576, headers: true, jetstream: true, proto: 1 }

let server: Server
let url: string
/** A server that refuses every connection with a text of its choice. */
beforeEach(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(`INFO ${JSON.stringify(INFO)}\r\n`)
    socket.once('data', () => socket.end(`-ERR '${HOSTILE}'\r\n`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = typeof address === 'object' && address !== null ? `nats://127.0.0.1:${address.port}` : ''
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

test.each([
  ['a leader', () => natsLog(url, {}, pino({ level: 'silent' })).open(CANDIDATE_CHAIN)],
  ['a replica', () => natsSource(url).connect({ ...CANDIDATE_CHAIN, cursor: undefined, finalized: undefined })],
])('%s shows the text of a NATS server as one line of bounded length', async (_, connect) => {
  const error = await (connect() as Promise<unknown>).then(
    () => expect.unreachable('connected'),
    (reason: unknown) => reason as Error,
  )

  expect(error.message).not.toContain('\u001b')
  expect(error.message.length).toBeLessThan(800)
})
