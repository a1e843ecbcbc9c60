import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { ChannelError, ProcessChannel, type ProcessPort } from './channel.ts'

interface Table {
  readonly double: readonly [question: unknown, response: unknown]
}

interface Written {
  readonly message: unknown
  readonly handle: unknown
}

const nextRound = () => new Promise((resolve) => setImmediate(resolve))

/**
 * Two ends of a pipe. As in Node, messages are cloned when they are written and arrive in a later round; `hold` delays
 * them.
 */
function pipe() {
  const written: Written[] = []
  let isHeld = false
  const [one, two] = [new EventEmitter(), new EventEmitter()]
  const end = (own: EventEmitter, other: EventEmitter): ProcessPort =>
    Object.assign(own, {
      send(message: unknown, handle?: unknown, _?: object, onSent?: (error: Error | null) => void) {
        const clone = structuredClone(message)
        written.push({ message: clone, handle })
        setImmediate(() => {
          onSent?.(null)
          if (!isHeld) other.emit('message', clone, handle)
        })
        return true
      },
    })
  return {
    one: end(one, two),
    two: end(two, one),
    written,
    hold: () => {
      isHeld = true
    },
  }
}

function ends(double: (question: unknown) => Promise<unknown>, timeout?: { clock: ManualClock; milliseconds: number }) {
  const { one, two, written, hold } = pipe()
  const received: unknown[] = []
  const asking = new ProcessChannel<unknown, Table, never, Record<never, never>>({
    port: one,
    answering: {},
    onMessage: () => undefined,
    ...(timeout && { timeout }),
  })
  const answering = new ProcessChannel<never, Record<never, never>, unknown, Table>({
    port: two,
    answering: {
      double: (question) => {
        received.push(question)
        return double(question)
      },
    },
    onMessage: (message, handle) => received.push(handle ?? message),
  })
  return { asking, answering, received, written, hold }
}

const twice = async (question: unknown) => 2 * (question as number)

test('property: delivers messages of any rounds in order, each request its response, one message per round', async () => {
  const saying = fc.constantFrom('notify' as const, 'request' as const, 'socket' as const)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(saying, { maxLength: 12 }), { maxLength: 6 }), async (rounds) => {
      const { asking, received, written } = ends(twice)
      const reply: unknown[] = []
      const responses: Promise<unknown>[] = []
      let number = 0
      for (const round of rounds) {
        for (const way of round) {
          number += 1
          const socket = way === 'socket' ? new Socket() : undefined
          reply.push(socket ?? number)
          if (way === 'request') responses.push(asking.request('double', number))
          else asking.notify(number, socket)
        }
        await nextRound()
      }
      const requested = rounds.flat().flatMap((way, index) => (way === 'request' ? [index + 1] : []))
      expect(await Promise.all(responses)).toEqual(requested.map((question) => 2 * question))
      await nextRound()
      await nextRound()
      expect(received.length).toBe(reply.length)
      expect(received.every((value, index) => value === reply[index])).toBe(true)
      const sockets = rounds.flat().filter((way) => way === 'socket').length
      // Messages between two sockets form a separate batch; the responses of a round form one.
      expect(written.length).toBeLessThanOrEqual(2 * rounds.length + 2 * sockets)
    }),
    { numRuns: 60 },
  )
})

test('sends sixty requests of one round, and their responses, in one message each', async () => {
  const { asking, written } = ends(twice)
  const responses = await Promise.all(Array.from({ length: 60 }, (_, index) => asking.request('double', index)))
  expect(responses).toEqual(Array.from({ length: 60 }, (_, index) => 2 * index))
  expect(written.map(({ message }) => (message as unknown[]).length)).toEqual([60, 60])
})

test('sends large messages separately, so that others are not delayed', async () => {
  const { asking, received, written } = ends(twice)
  const pieces = Array.from({ length: 40 }, (_, index) => ({ index, records: [new Uint8Array(100_000)] }))
  for (const piece of pieces) asking.notify(piece)
  await nextRound()
  await nextRound()
  expect(received.map((piece) => (piece as (typeof pieces)[0]).index)).toEqual(pieces.map(({ index }) => index))
  const sizes = written.map(({ message }) => (Array.isArray(message) ? message.length : 1))
  expect(sizes.reduce((sum, size) => sum + size)).toBe(40)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(3)
})

test('a response that cannot be cloned rejects its request only', async () => {
  const { asking } = ends(async (question) => (question === 2 ? () => 'a function' : 2 * (question as number)))
  const settled = await Promise.allSettled([1, 2, 3].map((question) => asking.request('double', question)))
  expect(settled).toMatchObject([
    { status: 'fulfilled', value: 2 },
    { status: 'rejected', reason: { name: 'ChannelError', message: expect.stringMatching(/could not be cloned/) } },
    { status: 'fulfilled', value: 6 },
  ])
  expect(asking.waiting).toBe(0)
})

test('rejects a request that cannot be cloned, and sends the others of its round', async () => {
  const { asking } = ends(twice)
  const questions = [1, () => 'a function', 3]
  const settled = await Promise.allSettled(questions.map((question) => asking.request('double', question)))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(asking.waiting).toBe(0)
})

test('closing a channel rejects all pending requests', async () => {
  const before = ends(twice)
  const sent: string[] = []
  const unsent = before.asking.request('double', 1)
  before.asking.notify('first', undefined, () => sent.push('first'))
  before.asking.close()
  await expect(unsent).rejects.toThrow(ChannelError)
  expect(sent).toEqual(['first'])
  await nextRound()
  expect(before.written).toEqual([])

  const onTheWay = ends(twice)
  onTheWay.hold()
  const lost = onTheWay.asking.request('double', 1)
  await nextRound()
  onTheWay.asking.close()
  await expect(lost).rejects.toThrow(ChannelError)

  const between = ends(twice)
  const first = between.asking.request('double', 1)
  const second = between.asking.request('double', 2)
  // Both responses are in one message.
  const closing = first.then(() => between.asking.close())
  expect(await Promise.allSettled([first, second, closing])).toMatchObject([{ value: 2 }, { value: 4 }, {}])
  expect(between.asking.waiting).toBe(0)
})

test('ignores messages behind the one that closed the channel', async () => {
  const port = Object.assign(new EventEmitter(), { send: () => true })
  const told: unknown[] = []
  const channel: ProcessChannel<never, Record<never, never>, string, Table> = new ProcessChannel({
    port,
    answering: { double: twice },
    onMessage: (message) => {
      told.push(message)
      if (message === 'end') channel.close()
    },
  })
  const messages = ['first', 'end', 'after'].map((message) => ({ type: 'notify', message }))
  port.emit('message', messages, undefined)
  expect(told).toEqual(['first', 'end'])
})

test('rejects requests to a process that hangs, and ignores a late response', async () => {
  const clock = new ManualClock({ wall: 0 })
  const responses: ((response: number) => void)[] = []
  const { asking } = ends(() => new Promise((resolve) => responses.push(resolve)), { clock, milliseconds: 1_000 })
  const early = asking.request('double', 1)
  clock.moveTo(600)
  const late = asking.request('double', 2)
  await nextRound()
  await nextRound()
  clock.moveTo(1_000)
  await expect(early).rejects.toThrow(/did not answer in time/)
  expect(asking.waiting).toBe(1)
  for (const response of responses) response(5)
  expect(await late).toBe(5)
  clock.moveTo(5_000)
  expect(asking.waiting).toBe(0)
  const another = asking.request('double', 3)
  clock.moveTo(6_000)
  await expect(another).rejects.toThrow(ChannelError)
})
