import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { SharedPort } from './shared-port.ts'

async function share(maxWaiting = 10) {
  const given: [taker: string, socket: Socket][] = []
  const listeners = new Set<() => void>()
  const clock = new ManualClock({ wall: 0 })
  const late: number[] = []
  const port = new SharedPort<string>(
    { host: '127.0.0.1', port: 0, maxWaiting, waitLimitMs: 30_000 },
    {
      clock,
      onExpired: (count) => late.push(count),
      give: (taker, socket) => {
        given.push([taker, socket])
        for (const listener of listeners) listener()
      },
    },
  )
  const number = await port.listen()
  onTestFinished(() => {
    port.close()
    for (const [, socket] of given) socket.destroy()
  })
  const open = async () => {
    const socket = connect(number, '127.0.0.1')
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  /** Resolves with the receiving workers when this many connections were passed on. */
  const takers = async (count: number) => {
    while (given.length < count) await new Promise<void>((resolve) => listeners.add(resolve))
    return given.map(([taker]) => taker)
  }
  return { port, number, open, takers, given, clock, late }
}

test('gives connections to free workers in turn, one at a time, and queues others', async () => {
  const { port, open, takers } = await share()
  await open()
  port.join('one')
  port.join('two')
  expect(await takers(1)).toEqual(['one'])
  await open()
  expect(await takers(2)).toEqual(['one', 'two'])
  await open()
  await open()
  port.adopted('two')
  expect(await takers(3)).toEqual(['one', 'two', 'two'])
  port.adopted('one')
  port.adopted('one')
  expect(await takers(4)).toEqual(['one', 'two', 'two', 'one'])
  port.adopted('two')
  port.adopted('one')
  port.leave('two')
  await open()
  expect((await takers(5)).at(-1)).toBe('one')
})

test('closes connections above the queue limit, and queued ones when the port closes', async () => {
  const { port, open } = await share(2)
  const waiting = [await open(), await open()]
  const ends = waiting.map((socket) => once(socket, 'close'))
  await once((await open()).resume(), 'close')
  port.close()
  for (const socket of waiting) socket.resume()
  await Promise.all(ends)
})

test('closes connections that no worker receives in time, and serves later ones', async () => {
  const { port, open, takers, clock, late } = await share()
  const early = [await open(), await open()]
  const ends = early.map((socket) => once(socket.resume(), 'close'))
  await vi.waitFor(() => {
    if (clock.next !== undefined) clock.moveTo(clock.next)
    expect(late.reduce((sum, count) => sum + count, 0)).toBe(2)
  })
  await Promise.all(ends)
  const last = await open()
  await vi.waitFor(() => expect(clock.next).toBeGreaterThan(clock.monotonic()))
  clock.moveTo(clock.monotonic() + 29_000)
  port.join('one')
  expect(await takers(1)).toEqual(['one'])
  clock.moveTo(clock.monotonic() + 60_000)
  expect(late.reduce((sum, count) => sum + count, 0)).toBe(2)
  expect(last.readyState).toBe('open')
})

test('listen() rejects a port in use', async () => {
  const { number } = await share()
  const again = new SharedPort(
    { host: '127.0.0.1', port: number, maxWaiting: 1, waitLimitMs: 1 },
    { clock: new ManualClock({ wall: 0 }), give: () => undefined, onExpired: () => undefined },
  )
  await expect(again.listen()).rejects.toMatchObject({ code: 'EADDRINUSE', port: number })
})
