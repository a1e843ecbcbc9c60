import { once } from 'node:events'
import { createConnection } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { endAll, endLater } from '../../../test/support/replica-scene.ts'
import { serveStream, sourceOf } from '../../../test/support/replicas.ts'
import { ZERO_HASH } from '../../primitives/hex.ts'
import { decodeBinary, encodeText, STREAM_VERSION } from '../../replication/messages.ts'
import type { ConnectedReplica, RecordStream, StreamGreeted } from '../../replication/record-stream.ts'
import { StorageError } from '../../storage/storage-error.ts'

afterEach(endAll)

const GREETING = { chainId: 1n, genesisHash: ZERO_HASH, cursor: undefined, finalized: undefined }
const HELLO = encodeText({ type: 'hello', version: STREAM_VERSION, ...GREETING })
const SETTINGS = { blockTime: 2_000, slots: 10, gasLimit: 1n, finalityDepth: 64 }

function replicaThat(read: ConnectedReplica['read']): ConnectedReplica {
  const begins = { kind: 'records', from: 1 } as const
  const handshake = { ...GREETING, settings: SETTINGS, firstSequence: 1, newestSequence: 0, begins }
  return { handshake, parts: undefined, read, endSnapshot: () => {}, close: () => {} }
}

/** A stream with an endless snapshot. */
function replicaThatCopies(onNext: () => void, close: () => void): ConnectedReplica {
  const begins = { kind: 'snapshot', number: 1, hash: ZERO_HASH, from: 1, poolSequence: 0 } as const
  const next = () => {
    onNext()
    return { done: false, value: new Uint8Array(64 * 1024) } as const
  }
  const replica = replicaThat(() => [])
  return { ...replica, handshake: { ...replica.handshake, begins }, parts: { next }, close }
}

const IDLE = replicaThat(() => [])

/** The part of a record stream that the listener uses. */
function streamThat(handshake: () => StreamGreeted, submit = vi.fn()): RecordStream {
  return { newestSequence: 0, onMore: () => () => {}, handshake, submit } as unknown as RecordStream
}

async function serve(records: RecordStream, options: Parameters<typeof serveStream>[1] = {}) {
  const stream = await serveStream(records, options)
  endLater(() => stream.close())
  return stream
}

async function connect(url: string, options: { readonly autoPong?: boolean } = {}): Promise<WebSocket> {
  const socket = new WebSocket(url, options)
  endLater(async () => socket.terminate())
  await once(socket, 'open')
  return socket
}

test('rejects submit before hello and closes the connection', async () => {
  const submit = vi.fn()
  const { url } = await serve(streamThat(() => ({ kind: 'welcome', replica: IDLE }), submit))
  const socket = await connect(url)
  socket.send(encodeText({ type: 'submit', id: 1, raw: '0x02' }))
  socket.send(HELLO)
  const messages: string[] = []
  socket.on('message', (data) => messages.push(String(data)))
  const [code] = await once(socket, 'close')
  expect(code).toBe(1008)
  expect(messages).toEqual([
    encodeText({ type: 'refused', code: 'MALFORMED', message: 'the first message of a replica must be hello' }),
  ])
  expect(submit).not.toHaveBeenCalled()
})

test('reports the unsent records of each replica under the lowest free number', async () => {
  const records = streamThat(() => ({ kind: 'welcome', replica: IDLE }))
  Object.assign(records, { newestSequence: 7 })
  const { url, listener } = await serve(records)
  const join = async () => {
    const socket = await connect(url)
    socket.send(HELLO)
    await once(socket, 'message')
    return socket
  }
  const first = await join()
  await join()
  expect(listener.lags).toEqual([
    ['1', 7],
    ['2', 7],
  ])

  first.close()
  await expect.poll(() => listener.lags).toEqual([['2', 7]])
  await join()
  expect(listener.lags.map(([number]) => number)).toEqual(['1', '2'])
})

test('reads nothing more from a refused client, which need not close its side', async () => {
  const { port, listener } = await serve(streamThat(() => ({ kind: 'welcome', replica: IDLE })))
  const upgrade = [
    'GET /replica HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  const client = createConnection({ port, host: '127.0.0.1' })
  endLater(async () => client.destroy())
  client.on('error', () => {})
  client.write(`${upgrade.join('\r\n')}\r\n\r\n`)
  await once(client, 'data')
  // A masked text frame of one character, which is no message of a replica.
  const junk = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78])
  client.on('drain', () => client.write(junk))
  client.resume()
  client.write(junk)

  await once(client, 'close')
  await expect.poll(() => listener.size).toBe(0)
})

test.each([
  ['deeply nested JSON', `{"type":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['an object that cannot become a text', '{"type":{"toString":1,"valueOf":1}}'],
])('%s closes its connection only', async (_, text) => {
  const { url } = await serve(streamThat(() => ({ kind: 'welcome', replica: IDLE })))
  const other = await connect(url)
  const socket = await connect(url)
  socket.send(text)
  expect((await once(socket, 'close'))[0]).toBe(1008)
  other.send(HELLO)
  expect(String((await once(other, 'message'))[0])).toContain('"welcome"')
})

test('closes the connection when records are removed during its hello', async () => {
  const gone = new StorageError('RECORDS_REMOVED', 'record 1 is no longer kept', { path: '' })
  const { url } = await serve(
    streamThat(() => {
      throw gone
    }),
  )
  const socket = await connect(url)
  socket.send(HELLO)
  expect((await once(socket, 'close'))[0]).toBe(1013)
})

test('refuses connections above twice maxReplicas, and rejects replicas above maxReplicas with BUSY', async () => {
  const { url, listener } = await serve(
    streamThat(() => ({ kind: 'welcome', replica: IDLE })),
    { maxReplicas: 2 },
  )
  for (let count = 0; count < 4; count++) await connect(url)
  expect(listener.size).toBe(4)
  await expect(sourceOf(url).connect(GREETING)).rejects.toMatchObject({
    code: 'BUSY',
    message: expect.stringMatching(/--max-replicas/),
  })
})

test('disconnects an unresponsive replica', async () => {
  let resolveDropped: (reason: string) => void = () => {}
  const dropped = new Promise<string>((resolve) => {
    resolveDropped = resolve
  })
  const { url, listener } = await serve(
    streamThat(() => ({ kind: 'welcome', replica: IDLE })),
    { writeTimeoutMs: 50, onDropped: (reason) => resolveDropped(reason) },
  )
  const alive = await connect(url)
  alive.send(HELLO)
  const gone = await connect(url, { autoPong: false })
  gone.send(HELLO)
  expect(await dropped).toBe('silent')
  await vi.waitFor(() => expect(listener.size).toBe(1))
  expect(alive.readyState).toBe(WebSocket.OPEN)
})

test('sends one message per event-loop round to a replica that catches up', async () => {
  const TOTAL = 200
  const payload = Buffer.alloc(50_000)
  let rounds = 0
  const roundOf: number[] = []
  const count = () => {
    rounds += 1
    if (roundOf.length < TOTAL) setImmediate(count)
  }
  const replica = replicaThat((from) => {
    if (from > TOTAL) return []
    roundOf.push(rounds)
    return [{ sequence: from, payload }]
  })
  const { url } = await serve(
    streamThat(() => ({ kind: 'welcome', replica })),
    { maxQueuedBytes: 2 ** 26 },
  )
  const socket = await connect(url)
  setImmediate(count)
  socket.send(HELLO)
  await new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return
      const message = decodeBinary(data)
      if (message.kind === 'records' && message.records.at(-1)!.sequence === TOTAL) resolve()
    })
  })
  expect(new Set(roundOf).size).toBe(TOTAL)
})

test('a replica that does not finish its snapshot in time is disconnected and its LMDB snapshot released', async () => {
  let isKept = true
  const replica = replicaThatCopies(
    () => expect(isKept).toBe(true),
    () => {
      isKept = false
    },
  )
  const dropped: string[] = []
  const { url } = await serve(
    streamThat(() => ({ kind: 'welcome', replica })),
    { catchUpTimeoutMs: 50, onDropped: (reason) => dropped.push(reason) },
  )
  const socket = await connect(url)
  socket.send(HELLO)
  await once(socket, 'message')
  // Sooner than the stall limit.
  socket.pause()
  await vi.waitFor(() => expect(isKept).toBe(false))
  socket.resume()
  const [code, reason] = await once(socket, 'close')
  expect([code, String(reason)]).toEqual([
    1013,
    'too slow: the snapshot was not read in time, see --catch-up-timeout-ms',
  ])
  expect(dropped).toEqual(['slow'])
})

test('releases retained records of a slow replica after catchUpTimeoutMs, and continues while they exist', async () => {
  let isKept = true
  const payload = Buffer.alloc(1_000)
  const replica: ConnectedReplica = {
    ...replicaThat((from) => (isKept && from > 1 ? [] : [{ sequence: from, payload }])),
    close: () => {
      isKept = false
    },
  }
  let emitMore = () => {}
  const stream = streamThat(() => ({ kind: 'welcome', replica }))
  const onMore = (listener: () => void) => {
    emitMore = listener
    return () => {}
  }
  const { url } = await serve({ ...stream, onMore } as RecordStream, { catchUpTimeoutMs: 50 })
  const socket = await connect(url)
  const last = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer, isBinary) => {
      const message = isBinary ? decodeBinary(data) : undefined
      if (message?.kind === 'records' && message.records.at(-1)!.sequence === 3) resolve()
    })
  })
  socket.send(HELLO)
  await vi.waitFor(() => expect(isKept).toBe(false))
  emitMore()
  await last
  expect(socket.readyState).toBe(WebSocket.OPEN)
})
