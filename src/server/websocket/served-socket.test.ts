import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { ANONYMOUS } from '../../rpc/protocol/rpc-client.ts'
import { CoalescedWrites } from '../transport/coalesced-writes.ts'
import { DEFAULT_LIMITS } from '../transport/limits.ts'
import { NO_MONITOR } from '../transport/monitor.ts'
import { RequestBudget } from '../transport/request-budget.ts'
import { ResponseBudget } from '../transport/response-budget.ts'
import { ServedSocket } from './served-socket.ts'

/** Clients of one server, the messages written to each, and a manual clock; a round ends on request. */
function servedClients(count: number) {
  const clock = { now: 0 }
  let endRound = () => {}
  const writes = new CoalescedWrites({
    now: () => clock.now,
    nextRound: (action) => {
      endRound = action
    },
  })
  const written = Array.from({ length: count }, (): string[] => [])
  const late: (() => void)[] = []
  const sockets = written.map((texts) => new FakeSocket(texts))
  const received: string[] = []
  let closed = 0
  for (const socket of sockets) {
    const connect = (send: (text: string) => void) => ({
      receive: (text: string) => {
        received.push(text)
        // Pending writes of the other clients while this one is served.
        send(text === 'state' ? written.map(({ length }) => length).join() : text)
        late.push(() => send('late'))
      },
      close: () => {
        closed += 1
      },
    })
    new ServedSocket(DEFAULT_LIMITS, {
      socket: socket as unknown as WebSocket,
      stream: socket,
      rpc: { connect },
      log: { error: (details) => expect.unreachable(JSON.stringify(details)) },
      monitor: NO_MONITOR,
      budget: new ResponseBudget({ limit: 1_000_000 }),
      writes,
      requests: new RequestBudget({ limit: 1_000_000 }, { connections: () => count, nextRound: setImmediate }),
      openSockets: () => count,
      client: ANONYMOUS as never,
    })
  }
  const request = (index: number, text: string) => sockets[index]!.emit('message', text)
  return {
    request,
    written,
    /** Texts of requests that were run, and the number of connections whose subscriptions and requests ended. */
    received,
    closed: () => closed,
    /** Leaves so many bytes unread at a client. */
    stall: (index: number, bytes: number) => {
      sockets[index]!.bufferedAmount = bytes
    },
    late,
    clock,
    endRound: () => endRound(),
    end: () => sockets.map((socket) => socket.emit('close')),
  }
}

class FakeSocket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  bufferedAmount = 0
  readonly isPaused = false
  readonly #written: string[]
  #held: string[] | undefined
  constructor(written: string[]) {
    super()
    this.#written = written
  }
  cork() {
    this.#held = []
  }
  uncork() {
    this.#written.push(...(this.#held ?? []))
    this.#held = undefined
  }
  write(text: string, _: 'latin1', done: () => void) {
    this.send(text, done)
  }
  send(text: string, done: () => void) {
    ;(this.#held ?? this.#written).push(text)
    done()
  }
  close() {
    this.readyState = 2
  }
  terminate() {
    this.emit('close')
  }
}

const nextStep = () => new Promise<void>((resolve) => process.nextTick(resolve))

test('holds synchronous responses until the end of the round, with those of other clients', async () => {
  const { request, written, endRound, end } = servedClients(2)
  request(0, 'a')
  request(1, 'b')
  await nextStep()
  expect(written).toEqual([[], []])
  endRound()
  expect(written).toEqual([['a'], ['b']])
  end()
})

test('sends an asynchronous response in its step, together with held ones', async () => {
  const { request, written, late, end } = servedClients(2)
  request(0, 'a')
  request(1, 'b')
  late[0]!()
  await nextStep()
  expect(written).toEqual([['a', 'late'], []])
  end()
})

test('writes a response before it starts a request that arrives half a millisecond later', () => {
  const { request, written, clock, endRound, end } = servedClients(2)
  request(0, 'a')
  clock.now = 0.5
  request(1, 'state')
  endRound()
  expect(written[1]).toEqual(['1,0'])
  end()
})

test('runs no request of a client that was dropped for reading too slowly', () => {
  const { request, received, closed, stall, endRound, end } = servedClients(2)
  request(0, 'a')
  stall(0, 1_000_000)
  request(0, 'b')
  expect(closed()).toBe(1)
  request(0, 'c')
  request(1, 'd')
  expect(received).toEqual(['a', 'b', 'd'])
  endRound()
  end()
})
