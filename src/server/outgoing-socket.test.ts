import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { AnswerBudget } from './answer-budget.ts'
import { GatheredWrites } from './gathered-writes.ts'
import { NO_MONITOR } from './monitor.ts'
import { OutgoingSocket } from './outgoing-socket.ts'

interface ClientOptions {
  readonly maxWaiting: number
  readonly limit?: number
  /** Whether it reads at all. */
  readonly isReading?: boolean
}

/** A client that reads at once what is written to it; what is held back counts as waiting. */
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
    { pingInterval: 60_000 },
    {
      socket: socket as unknown as WebSocket,
      stream,
      monitor: NO_MONITOR,
      budget: new AnswerBudget({ limit }),
      writes: new GatheredWrites({ now: () => performance.now(), nextRound: setImmediate }),
      maxWaiting: () => maxWaiting,
    },
  )
  return { outgoing, writes, closed, end: () => socket.emit('close') }
}

const stepOver = () => new Promise<void>((resolve) => setImmediate(resolve))

test('what is sent in one step goes out in one write', async () => {
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

test('answers to several clients wait for the end of the round, and what they are told does not', async () => {
  const [one, other] = [readingClient({ maxWaiting: 1_000 }), readingClient({ maxWaiting: 1_000 })]
  const shared = { bytes: Buffer.from('told') }
  one.outgoing.send('a')
  other.outgoing.sendShared(shared, false)
  await Promise.resolve()
  await new Promise<void>((resolve) => process.nextTick(resolve))
  expect([one.writes, other.writes]).toEqual([[], [[4]]])
  await stepOver()
  expect(one.writes).toEqual([[1]])
  one.end()
  other.end()
})

test('what is large is written when it is sent, with what waited before it: a thousand such writes are not one step', async () => {
  const { outgoing, writes, end } = readingClient({ maxWaiting: 1_000_000 })
  outgoing.send('a')
  outgoing.send('b'.repeat(100_000))
  expect(writes).toEqual([[1, 100_000]])
  outgoing.send('c')
  await stepOver()
  expect(writes).toEqual([[1, 100_000], [1]])
  end()
})

test('a client that reads is not taken for slow because of what was held back for it', async () => {
  const { outgoing, writes, closed, end } = readingClient({ maxWaiting: 10 })
  const [small, large] = ['a'.repeat(8), 'b'.repeat(500)]
  for (const text of [small, large, small]) outgoing.send(text)
  await stepOver()
  expect(writes).toEqual([[8], [500], [8]])
  expect(closed).toEqual([])
  end()
})

test('nor is it refused when others have used up what may be unread', async () => {
  const { outgoing, writes, closed, end } = readingClient({ maxWaiting: 1_000_000, limit: 0 })
  const texts = ['a', 'b'].map((letter) => letter.repeat(40_000))
  for (const text of texts) outgoing.send(text)
  await stepOver()
  expect(writes).toEqual([[40_000], [40_000]])
  expect(closed).toEqual([])
  end()
})

test('frames that are ready go out at once, and behind what is held back', async () => {
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

test('a client that does not read may be sent frames of any size once, and is cut off at the next ones', () => {
  const { outgoing, closed, end } = readingClient({ maxWaiting: 10, isReading: false })
  outgoing.sendFrames('a'.repeat(500))
  expect(closed).toEqual([])
  outgoing.sendFrames('b')
  expect(closed).toEqual([1013])
  end()
})
