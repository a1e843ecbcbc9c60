import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { CoalescedWrites } from '../transport/coalesced-writes.ts'
import { NO_MONITOR } from '../transport/monitor.ts'
import { ResponseBudget } from '../transport/response-budget.ts'
import { OutgoingSocket } from './outgoing-socket.ts'

interface ClientOptions {
  readonly maxWaiting: number
  readonly limit?: number
  /** Whether the client reads. */
  readonly isReading?: boolean
}

/** A client that reads at once; corked data counts as unsent. */
function readingClient({ maxWaiting, limit = 1_000_000, isReading = true }: ClientOptions) {
  /** Lengths of the messages of each write. */
  const writes: number[][] = []
  let held: { readonly length: number; readonly written: () => void }[] = []
  let isHolding = false
  const closed: number[] = []
  const flush = () => {
    if (!isReading) return
    if (held.length > 0) writes.push(held.map(({ length }) => length))
    const flushed = held
    held = []
    for (const { written } of flushed) written()
  }
  const stream = {
    cork: () => {
      isHolding = true
    },
    uncork: () => {
      isHolding = false
      flush()
    },
    write: (text: string, _: 'latin1', written: () => void) => socket.send(text, written),
  }
  class ReadingSocket extends EventEmitter {
    readonly OPEN = 1
    readonly readyState = 1
    get bufferedAmount() {
      return held.reduce((sum, { length }) => sum + length, 0)
    }
    send(data: string | Uint8Array, ...rest: unknown[]) {
      held = [...held, { length: data.length, written: rest.at(-1) as () => void }]
      if (!isHolding) flush()
    }
    close(code: number) {
      closed.push(code)
    }
  }
  const socket = new ReadingSocket()
  const outgoing = new OutgoingSocket(
    { pingIntervalMs: 60_000 },
    {
      socket: socket as unknown as WebSocket,
      stream,
      monitor: NO_MONITOR,
      budget: new ResponseBudget({ limit }),
      maxWaiting: () => maxWaiting,
    },
  )
  return { outgoing, writes, closed, end: () => socket.emit('close') }
}

const stepOver = () => new Promise<void>((resolve) => setImmediate(resolve))
const nextStep = () => new Promise<void>((resolve) => process.nextTick(resolve))

test('coalesces messages of one step into one write', async () => {
  const { outgoing, writes, end } = readingClient({ maxWaiting: 1_000 })
  for (const text of ['a', 'b', 'c']) outgoing.send(text)
  expect(writes).toEqual([])
  await stepOver()
  expect(writes).toEqual([[1, 1, 1]])
  outgoing.send('d')
  await stepOver()
  expect(writes).toEqual([[1, 1, 1], [1]])
  end()
})

/** Clients whose responses are written together. */
function gatheredClients(count: number) {
  const writes = new CoalescedWrites({ now: () => 0, nextRound: setImmediate })
  const clients = Array.from({ length: count }, () => readingClient({ maxWaiting: 1_000_000 }))
  return {
    writes,
    clients,
    written: () => clients.map((client) => client.writes),
    end: () => clients.map((client) => client.end()),
  }
}

test('writes responses to several clients at the end of the round', async () => {
  const { writes, clients, written, end } = gatheredClients(2)
  for (const { outgoing } of clients) outgoing.send('a', writes)
  clients[1]!.outgoing.send('bc', writes)
  await nextStep()
  expect(written()).toEqual([[], []])
  await stepOver()
  expect(written()).toEqual([[[1]], [[1, 2]]])
  end()
})

test('writes all held responses with the 32nd', () => {
  const { writes, clients, written, end } = gatheredClients(32)
  for (const { outgoing } of clients) outgoing.send('a', writes)
  expect(written()).toEqual(Array(32).fill([[1]]))
  end()
})

test('does not hold notifications until the end of the round, nor a response before them', async () => {
  const { writes, clients, written, end } = gatheredClients(3)
  for (const { outgoing } of clients) outgoing.send('a', writes)
  clients[0]!.outgoing.sendFrames('told')
  clients[1]!.outgoing.sendShared({ bytes: Buffer.from('told') }, false)
  await nextStep()
  expect(written()).toEqual([[[1], [4]], [[1], [4]], []])
  await stepOver()
  expect(written()[2]).toEqual([[1]])
  end()
})

test('sends a response together with a notification of the same step', async () => {
  const { writes, clients, written, end } = gatheredClients(1)
  const { outgoing } = clients[0]!
  outgoing.sendShared({ bytes: Buffer.from('told') }, false)
  outgoing.send('a', writes)
  await nextStep()
  expect(written()).toEqual([[[4, 1]]])
  end()
})

test('a large response flushes held ones, and the next one is held again', async () => {
  const { writes, clients, written, end } = gatheredClients(1)
  const { outgoing } = clients[0]!
  outgoing.send('a', writes)
  outgoing.send('b'.repeat(100_000), writes)
  expect(written()).toEqual([[[1, 100_000]]])
  outgoing.send('c', writes)
  await nextStep()
  expect(written()[0]).toHaveLength(1)
  await stepOver()
  expect(written()[0]).toEqual([[1, 100_000], [1]])
  end()
})

test('writes a large message immediately together with those held before it', async () => {
  const { outgoing, writes, end } = readingClient({ maxWaiting: 1_000_000 })
  outgoing.send('a')
  outgoing.send('b'.repeat(100_000))
  expect(writes).toEqual([[1, 100_000]])
  outgoing.send('c')
  await stepOver()
  expect(writes).toEqual([[1, 100_000], [1]])
  end()
})

test('does not count held messages against the queue limit of a reading client', async () => {
  const { outgoing, writes, closed, end } = readingClient({ maxWaiting: 10 })
  const [small, large] = ['a'.repeat(8), 'b'.repeat(500)]
  for (const text of [small, large, small]) outgoing.send(text)
  await stepOver()
  expect(writes).toEqual([[8], [500], [8]])
  expect(closed).toEqual([])
  end()
})

test('does not count held messages against the shared budget of unread data', async () => {
  const { outgoing, writes, closed, end } = readingClient({ maxWaiting: 1_000_000, limit: 0 })
  const texts = ['a', 'b'].map((letter) => letter.repeat(40_000))
  for (const text of texts) outgoing.send(text)
  await stepOver()
  expect(writes).toEqual([[40_000], [40_000]])
  expect(closed).toEqual([])
  end()
})

test('sends encoded frames immediately, or after held messages', async () => {
  const { outgoing, writes, end } = readingClient({ maxWaiting: 1_000 })
  outgoing.sendFrames('abc')
  expect(writes).toEqual([[3]])
  outgoing.send('a')
  outgoing.sendFrames('bc')
  expect(writes).toEqual([[3]])
  await stepOver()
  expect(writes).toEqual([[3], [1, 2]])
  end()
})

test('a client that does not read gets one oversized write, and is disconnected at the next', () => {
  const { outgoing, closed, end } = readingClient({ maxWaiting: 10, isReading: false })
  outgoing.sendFrames('a'.repeat(500))
  expect(closed).toEqual([])
  outgoing.sendFrames('b')
  expect(closed).toEqual([1013])
  end()
})
