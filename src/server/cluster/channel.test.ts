import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { ChannelError, ProcessChannel, type ProcessPort } from './channel.ts'

interface Table {
  readonly double: readonly [question: number, answer: number]
}

/** Two ends of one pipe. Messages are copied, as between processes. */
function pipe() {
  const [one, two] = [new EventEmitter(), new EventEmitter()]
  const end = (own: EventEmitter, other: EventEmitter): ProcessPort =>
    Object.assign(own, {
      send: (message: unknown) =>
        setImmediate(() => other.emit('message', structuredClone(message), undefined)) !== null,
    })
  return { one: end(one, two), two: end(two, one), cut: () => [one, two].map((side) => side.emit('disconnect')) }
}

function ends(double: (number: number) => Promise<number>) {
  const { one, two, cut } = pipe()
  const messages: unknown[] = []
  const asking = new ProcessChannel<string, Table, never, Record<never, never>>({
    port: one,
    answering: {},
    onMessage: () => undefined,
  })
  new ProcessChannel<never, Record<never, never>, string, Table>({
    port: two,
    answering: { double },
    onMessage: (message) => messages.push(message),
  })
  return { asking, messages, cut }
}

test('matches responses to requests, and delivers messages in order', async () => {
  const { asking, messages } = ends(async (number) => {
    // The response to the first request arrives last.
    for (let turn = number; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    return 2 * number
  })
  asking.notify('first')
  asking.notify('second')
  expect(await Promise.all([1, 2, 3].map((number) => asking.request('double', number)))).toEqual([2, 4, 6])
  expect(messages).toEqual(['first', 'second'])
})

test('a failing request does not affect others', async () => {
  const { asking } = ends((number) => (number === 1 ? Promise.reject(new Error('not that one')) : Promise.resolve(4)))
  const refused = expect(asking.request('double', 1)).rejects.toThrow(new ChannelError('not that one'))
  expect(await asking.request('double', 2)).toBe(4)
  await refused
})

test('rejects pending and later requests of a process that has ended', async () => {
  const { asking, cut } = ends(() => new Promise(() => undefined))
  const waiting = asking.request('double', 1)
  cut()
  await expect(waiting).rejects.toThrow(ChannelError)
  await expect(asking.request('double', 2)).rejects.toThrow(ChannelError)
  asking.notify('nobody hears it')
})

test('ignores messages that arrive after close()', () => {
  const port = Object.assign(new EventEmitter(), { send: () => true })
  const messages: unknown[] = []
  const requested: number[] = []
  const channel = new ProcessChannel<never, Record<never, never>, string, Table>({
    port,
    answering: { double: async (number) => requested.push(number) },
    onMessage: (message) => messages.push(message),
  })
  const connection = new Socket()
  port.emit('message', { type: 'notify', message: 'before' }, undefined)
  channel.close()
  port.emit('message', { type: 'notify', message: 'after' }, connection)
  port.emit('message', { type: 'request', id: 1, name: 'double', question: 1 }, undefined)
  expect({ messages, requested, isOpen: !connection.destroyed }).toEqual({
    messages: ['before'],
    requested: [],
    isOpen: false,
  })
})

test('preserves the code of an error', async () => {
  const { asking } = ends(() => Promise.reject(Object.assign(new Error('not here'), { code: 'ELSEWHERE' })))
  await expect(asking.request('double', 1)).rejects.toMatchObject({ message: 'not here', code: 'ELSEWHERE' })
})
