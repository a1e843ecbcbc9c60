import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { LiveSocket, type SocketLike, type SocketState } from './live-socket.ts'

const OPTIONS = { firstWaitMs: 100, longestWaitMs: 400, connectMs: 500, silenceMs: 1_000 }

let server: WebSocketServer
let url: string
let live: LiveSocket | undefined
beforeEach(async () => {
  server = new WebSocketServer({ port: 0 })
  await once(server, 'listening')
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  live?.close()
  for (const client of server.clients) client.terminate()
  server.close()
})

/** A live socket on a manual clock, and the events that its tests wait for. */
function start(connect = (address: string) => new WebSocket(address) as unknown as SocketLike) {
  const timers: { readonly wait: number; readonly action: () => void }[] = []
  const states: SocketState[] = []
  const waiting: { readonly is: (state: SocketState) => boolean; readonly resolve: () => void }[] = []
  const clock = { now: 0 }
  const socket = new LiveSocket(
    { url, ...OPTIONS },
    {
      connect,
      now: () => clock.now,
      after(wait, action) {
        const timer = { wait, action }
        timers.push(timer)
        return () => {
          if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1)
        }
      },
      onState(state) {
        states.push(state)
        for (const each of waiting) if (each.is(state)) each.resolve()
      },
    },
  )
  live = socket
  socket.open()
  return {
    socket,
    states,
    timers,
    clock,
    state: (kind: SocketState['kind']) =>
      new Promise<void>((resolve) => waiting.push({ is: (state) => state.kind === kind, resolve })),
    fire: () => timers.shift()!.action(),
  }
}

/** Answers each request with an id of its own, and passes the requests on. */
async function nextRequest(): Promise<{ peer: WebSocket; method: string; params: unknown[]; id: number }> {
  const [peer] = (await once(server, 'connection')) as [WebSocket]
  const [data] = await once(peer, 'message')
  return { peer, ...JSON.parse(String(data)) }
}

/** A subscription whose results and events are collected. */
function subscribed(socket: LiveSocket) {
  const events: unknown[] = []
  let notify = () => {}
  const end = socket.subscribe(['newHeads'], {
    onStart: () => events.push('start'),
    onResult: (result) => {
      events.push(result)
      notify()
    },
    onLost: () => events.push('lost'),
    onRefused: (error) => {
      events.push(error.message)
      notify()
    },
  })
  const next = () =>
    new Promise<void>((resolve) => {
      notify = resolve
    })
  return { events, end, next }
}

describe('LiveSocket', () => {
  test('renews its subscriptions after a lost connection, and reports the gap', async () => {
    const requested = nextRequest()
    const { socket, state, fire } = start()
    const { events, next } = subscribed(socket)
    const first = await requested
    expect([first.method, first.params]).toEqual(['eth_subscribe', ['newHeads']])
    let arrived = next()
    first.peer.send(JSON.stringify({ id: first.id, result: '0x1' }))
    first.peer.send(JSON.stringify({ method: 'eth_subscription', params: { subscription: '0x1', result: 'a' } }))
    await arrived

    const closed = state('closed')
    first.peer.terminate()
    await closed
    const again = nextRequest()
    fire()
    const second = await again
    arrived = next()
    second.peer.send(JSON.stringify({ id: second.id, result: '0x7' }))
    second.peer.send(JSON.stringify({ method: 'eth_subscription', params: { subscription: '0x7', result: 'b' } }))
    await arrived

    expect(events).toEqual(['start', 'a', 'lost', 'start', 'b'])
  })

  test('doubles the wait between attempts up to the longest one', async () => {
    server.close()
    const { state, timers, fire, states } = start()
    const waits: number[] = []
    for (let attempt = 0; attempt < 4; attempt += 1) {
      if (states.at(-1)?.kind !== 'closed') await state('closed')
      waits.push(timers[0]!.wait)
      fire()
    }
    expect(waits).toEqual([100, 200, 400, 400])
  })

  test('gives up a handshake that nothing answers, and tries again', async () => {
    const closed: string[] = []
    const hanging = () => ({
      readyState: 0,
      addEventListener: () => {},
      send: () => {},
      close: () => closed.push('closed'),
    })
    const { states, timers, fire } = start(() => hanging() as unknown as SocketLike)
    expect(timers.map(({ wait }) => wait)).toEqual([500])

    fire()

    expect(closed).toEqual(['closed'])
    expect(states.at(-1)).toMatchObject({ kind: 'closed' })
    expect(timers.map(({ wait }) => wait)).toEqual([100])
  })

  test('replaces a handshake that is under way when it is asked to connect at once', () => {
    const sockets: { closed: boolean }[] = []
    const connect = () => {
      const socket = { closed: false }
      sockets.push(socket)
      const close = () => {
        socket.closed = true
      }
      return { readyState: 0, addEventListener: () => {}, send: () => {}, close } as unknown as SocketLike
    }
    const { socket, timers } = start(connect)

    socket.retry()

    expect(sockets.map(({ closed }) => closed)).toEqual([true, false])
    expect(timers).toHaveLength(1)
  })

  test('waits longer each time for a node that closes connections without a message', async () => {
    server.on('connection', (peer) => peer.close())
    const { timers, state, fire } = start()
    const waits: number[] = []
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await state('closed')
      waits.push(timers[0]!.wait)
      fire()
    }
    expect(waits).toEqual([100, 200, 400])
  })

  test('counts an address that the browser refuses as a lost connection', async () => {
    let isRefused = true
    const { state, states, fire } = start((address) => {
      if (isRefused) throw new Error('an insecure WebSocket in a page of https')
      return new WebSocket(address) as unknown as SocketLike
    })
    expect(states.map(({ kind }) => kind)).toEqual(['connecting', 'closed'])

    isRefused = false
    const opened = state('open')
    fire()
    await opened
  })

  test('gives up a connection that is silent after a request for a sign of life', async () => {
    const connected = once(server, 'connection')
    const { state, clock, fire, timers } = start()
    const opened = state('open')
    const [peer] = (await connected) as [WebSocket]
    await opened

    clock.now = 1_000
    const asked = once(peer, 'message')
    fire()
    expect(JSON.parse(String((await asked)[0]))).toMatchObject({ method: 'eth_chainId' })

    clock.now = 2_000
    const closed = state('closed')
    fire()
    await closed
    expect(timers.map(({ wait }) => wait)).toEqual([100])
  })

  test('passes on that the node lacks a subscription', async () => {
    const requested = nextRequest()
    const { socket } = start()
    const { events, next } = subscribed(socket)
    const { peer, id } = await requested
    const refused = next()
    peer.send(JSON.stringify({ id, error: { code: -32602, message: 'no such subscription' } }))
    await refused
    expect(events).toEqual(['no such subscription'])
  })

  test.each([{ toString: 0, valueOf: 0 }, null, [], 'x'.repeat(100_000)])(
    'counts a confirmation without a usable id as a refusal (%#)',
    async (result) => {
      const requested = nextRequest()
      const { socket } = start()
      const { events, next } = subscribed(socket)
      const { peer, id } = await requested
      const refused = next()
      peer.send(JSON.stringify({ method: 'eth_subscription', params: { subscription: result, result: 'a' } }))
      peer.send(JSON.stringify({ id, result }))
      await refused
      expect(events).toEqual(['the node confirmed a subscription without a usable id'])
    },
  )

  test('ends a subscription that was cancelled before the node confirmed it', async () => {
    const requested = nextRequest()
    const { socket } = start()
    const { events, end } = subscribed(socket)
    const { peer, id } = await requested
    end()
    const ended = once(peer, 'message')
    peer.send(JSON.stringify({ id, result: '0x1' }))
    expect(JSON.parse(String((await ended)[0]))).toMatchObject({ method: 'eth_unsubscribe', params: ['0x1'] })
    expect(events).toEqual([])
  })
})
