import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { BodyStream } from '../../rest/http/rest-service.ts'
import { createServer, type RunningServer } from '../create-server.ts'
import type { ServerLimits } from './limits.ts'

/** Texts that a test adds. */
class Texts implements BodyStream {
  isClosed = false
  #texts: string[] = []
  #hasEnded = false
  #onReadable = () => {}

  read(): string | undefined {
    return this.#texts.shift() ?? (this.#hasEnded ? undefined : '')
  }

  onReadable(listener: () => void): void {
    this.#onReadable = listener
  }

  close(): void {
    this.isClosed = true
  }

  add(...texts: string[]): void {
    this.#texts.push(...texts)
    this.#onReadable()
  }

  end(): void {
    this.#hasEnded = true
    this.#onReadable()
  }
}

let server: RunningServer
let streams: Texts[]
const dropped: string[] = []
const sockets: Socket[] = []

async function start(limits: Partial<ServerLimits> = {}): Promise<void> {
  streams = []
  dropped.length = 0
  const respond = () => {
    const stream = new Texts()
    streams.push(stream)
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: '', stream }
  }
  const log = { error: (details: object) => expect.unreachable(JSON.stringify(details)) }
  const monitor = { rejected: () => undefined, dropped: (reason: string) => dropped.push(reason) }
  server = await createServer({ host: '127.0.0.1', port: 0, limits }, { rest: { handle: respond }, log, monitor })
}

async function get({ allowHalfOpen = false } = {}): Promise<{ readonly socket: Socket; received(): string }> {
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen })
  socket.on('error', () => undefined)
  sockets.push(socket)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')
  return { socket, received: () => received }
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.close()
})

test('writes a stream behind the head of its response until it ends', async () => {
  await start()
  const { socket, received } = await get()
  streams[0]!.add('one ', 'two')
  await once(socket, 'data')
  streams[0]!.end()
  await once(socket, 'end')

  const [head, body] = received().split('\r\n\r\n')
  expect(head).toContain('Connection: close')
  expect(head).not.toContain('Content-Length')
  expect(body).toBe('one two')
  expect(streams[0]!.isClosed).toBe(true)
  expect(server.streams).toBe(0)
})

test('refuses more streams than --max-event-subscribers allows, until one is closed', async () => {
  await start({ maxEventSubscribers: 1 })
  const first = await get()
  const second = await get()

  expect(second.received()).toMatch(/^HTTP\/1.1 503 .*--max-event-subscribers/s)
  expect(streams[1]!.isClosed).toBe(true)
  first.socket.destroy()
  while (server.streams > 0) await new Promise(setImmediate)
  expect((await get()).received()).toMatch(/^HTTP\/1.1 200/)
})

test('reads no more than a client that does not read, and closes it after --write-timeout-ms', async () => {
  await start({ writeTimeoutMs: 50 })
  const { socket } = await get()
  socket.pause()
  const [stream] = streams
  const large = 'x'.repeat(1024 * 1024)
  stream!.add(...Array.from({ length: 64 }, () => large))
  while (!stream!.isClosed) await new Promise(setImmediate)

  expect(dropped).toEqual(['slow'])
  expect(stream!.read()).toBe(large)
})

test('closes streams at once when the server stops', async () => {
  await start({ closeGraceMs: 3_000 })
  const { socket } = await get()
  const ended = once(socket, 'end')
  await server.close()
  await ended

  expect(streams[0]!.isClosed).toBe(true)
})

test('closes the stream of a request whose body never arrives', async () => {
  await start()
  const socket = connect(server.port, '127.0.0.1')
  sockets.push(socket)
  socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n')
  while (server.streams === 0) await new Promise(setImmediate)
  socket.resetAndDestroy()
  while (server.connections > 0) await new Promise(setImmediate)
  await new Promise(setImmediate)

  expect(streams[0]!.isClosed).toBe(true)
  expect(server.streams).toBe(0)
})

test('disconnects a client that keeps its side open after the end of a stream', async () => {
  await start({ writeTimeoutMs: 50 })
  const { socket } = await get({ allowHalfOpen: true })
  const ended = once(socket, 'end')
  streams[0]!.end()
  await ended

  while (server.connections > 0) await new Promise(setImmediate)
  expect(server.streams).toBe(0)
})

test('stops although a client keeps its side open', { timeout: 10_000 }, async () => {
  await start()
  const { socket } = await get({ allowHalfOpen: true })
  await server.close()

  expect(socket.writable).toBe(true)
  expect(server.connections).toBe(0)
})

test('refuses more streams of an address than --max-event-subscribers-per-address allows, until one is closed', async () => {
  await start({ maxEventSubscribersPerAddress: 1 })
  const first = await get()

  expect((await get()).received()).toMatch(/^HTTP\/1.1 429 .*--max-event-subscribers-per-address/s)
  first.socket.destroy()
  while (server.streams > 0) await new Promise(setImmediate)
  expect((await get()).received()).toMatch(/^HTTP\/1.1 200/)
})
