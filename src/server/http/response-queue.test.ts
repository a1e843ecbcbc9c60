import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { CoalescedWrites } from '../transport/coalesced-writes.ts'
import type { HttpResponse, ServerLog } from './exchange.ts'
import { ResponseQueue } from './response-queue.ts'

const REQUEST = { method: 'POST', isLast: false }

function newQueue(socket: Socket, writes: CoalescedWrites, log: ServerLog): ResponseQueue {
  const onLast = () => socket.destroySoon()
  const onStream = () => expect.unreachable('no answer is a stream')
  const onWritten = () => undefined
  return new ResponseQueue({ writeTimeoutMs: 30_000 }, { socket, writes, log, onWritten, onLast, onStream })
}

/** What a client gets of these answers, and what was logged. */
async function received(make: () => readonly (HttpResponse | Promise<HttpResponse>)[]) {
  const logged: object[] = []
  const server = createServer((socket) => {
    const log = { error: (details: object) => logged.push(details) }
    const writes = new CoalescedWrites({ now: () => performance.now(), nextRound: setImmediate })
    const queue = newQueue(socket, writes, log)
    queue.together(() => {
      for (const answer of make()) queue.take(answer, REQUEST)
    })
    queue.endAfterAll()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const chunks: Buffer[] = []
  for await (const chunk of client) chunks.push(chunk)
  server.close()
  const text = Buffer.concat(chunks).toString('utf8')
  return { text, bodies: text.split(/HTTP\/1\.1 .*?\r\n\r\n/s).slice(1), logged }
}

test('a write that throws closes only its own connection', async () => {
  const logged: object[] = []
  const log = { error: (details: object) => logged.push(details) }
  const writes = new CoalescedWrites({ now: () => 0, nextRound: setImmediate })
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clients: Socket[] = []
  const sockets: Socket[] = []
  for (const isBroken of [true, false]) {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [socket] = (await once(server, 'connection')) as [Socket]
    if (isBroken) {
      socket.write = () => {
        throw new Error('broken')
      }
    }
    const queue = newQueue(socket, writes, log)
    queue.together(() => queue.take(ok('a'), REQUEST))
    clients.push(client)
    sockets.push(socket)
  }
  const [data] = await once(clients[1]!, 'data')
  expect(data.toString()).toMatch(/^HTTP\/1.1 200.*a$/s)
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false])
  expect(logged).toHaveLength(1)
  for (const socket of [...clients, ...sockets]) socket.destroy()
  server.close()
})

const ok = (body: string | Uint8Array): HttpResponse => ({ status: 200, headers: {}, body })

test('bodies of any size, script and type arrive complete and in order', async () => {
  const bodies = ['a', 'é€', 'x'.repeat(100_000), Buffer.from('bytes'), '€'.repeat(50_000), '', 'z']
  const answers = () => bodies.map((body, index) => (index % 2 === 0 ? ok(body) : Promise.resolve(ok(body))))
  const { bodies: came, text } = await received(answers)
  expect(came).toEqual(bodies.map((body) => body.toString()))
  expect([...text.matchAll(/Connection: (.*)\r\n/g)].map(([, value]) => value)).toEqual([
    ...Array(6).fill('keep-alive'),
    'close',
  ])
})

test('a failed response is sent as 500 and closes the connection', async () => {
  const { text, logged } = await received(() => [ok('a'), Promise.reject(new Error('broken')), ok('b')])
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '500'])
  expect(logged).toHaveLength(1)
})

test('a response with a header that contains a line break is not written', async () => {
  const split = { status: 200, headers: { 'x-name': 'a\r\nset-cookie: b' }, body: 'secret' }
  const { text, logged } = await received(() => [split, ok('b')])
  expect(text).not.toMatch(/set-cookie|secret/)
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['500', '200'])
  expect(logged).toHaveLength(1)
})

test('a response that cannot have a body has no Content-Length', async () => {
  const { text } = await received(() => [{ status: 304, headers: { etag: '"a"' }, body: '' }])
  expect(text).toMatch(/^HTTP\/1.1 304 Not Modified\r\netag: "a"\r\n/)
  expect(text).not.toMatch(/content-length/i)
})

test('small responses that a stream follows release their bytes', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  const writes = new CoalescedWrites({ now: () => 0, nextRound: setImmediate })
  const log = { error: (details: object) => expect.unreachable(JSON.stringify(details)) }
  const ignore = () => undefined
  const deps = { socket, writes, log, onWritten: ignore, onLast: ignore, onStream: () => socket.end() }
  const queue = new ResponseQueue({ writeTimeoutMs: 30_000 }, deps)
  let released = 0
  const stream = { read: ignore, onReadable: ignore, close: ignore }
  queue.together(() => {
    queue.take({ ...ok('a'), release: () => (released += 1) }, REQUEST)
    queue.take({ ...ok('b'), release: () => (released += 1) }, REQUEST)
    queue.take({ ...ok(''), stream }, REQUEST)
  })
  client.resume()
  await once(client, 'end')

  expect(released).toBe(2)
  client.destroy()
  server.close()
})
