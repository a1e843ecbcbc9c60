import { expect, test } from 'vitest'
import { REQUEST_SLICE_MS } from '../scheduling/run-queue.ts'
import { DeliveryQueue } from './delivery-queue.ts'
import { Listeners } from './listeners.ts'
import { NotificationText } from './shared-text.ts'

/** A manual clock, and rounds that end on request. */
function deliveries(maxWaiting = 1_000_000) {
  const actions: (() => void)[] = []
  const errors: unknown[] = []
  const time = { now: 0 }
  const deps = {
    now: () => time.now,
    nextRound: (action: () => void) => actions.push(action),
    log: { error: (details: object) => errors.push(details) },
  }
  return {
    queue: new DeliveryQueue<NotificationText>({ maxWaiting }, deps),
    time,
    errors,
    rounds: () => actions.length,
    nextRound() {
      for (const action of actions.splice(0)) action()
    },
  }
}

/** Listeners that each take a quarter of a time slice. */
function listeners(count: number, time: { now: number }) {
  const received = Array.from({ length: count }, (): string[] => [])
  const joined = new Listeners<NotificationText>(
    received.map((texts) => ({ text }: NotificationText) => {
      time.now += REQUEST_SLICE_MS / 4
      texts.push(text)
    }),
  )
  return { received, joined }
}

test('notifies few subscribers at once, in the publisher’s step', () => {
  const { queue, time, rounds } = deliveries()
  const { received, joined } = listeners(4, time)
  queue.push([new NotificationText('1')], joined)
  expect(received).toEqual([['1}}'], ['1}}'], ['1}}'], ['1}}']])
  expect(rounds()).toBe(0)
})

test('notifies many subscribers in slices, each in the order of the messages', () => {
  const { queue, time, rounds, nextRound } = deliveries()
  const { received, joined } = listeners(10, time)
  queue.push([new NotificationText('1')], joined)
  expect(received.flat()).toHaveLength(4)
  queue.push([new NotificationText('2')], joined)
  expect(received.flat()).toHaveLength(4)
  for (const messages of [8, 12, 16, 20]) {
    expect(rounds()).toBe(1)
    nextRound()
    expect(received.flat()).toHaveLength(messages)
  }
  expect(rounds()).toBe(0)
  for (const texts of received) expect(texts).toEqual(['1}}', '2}}'])
})

test('skips subscribers that left while a message was queued; new ones get the next message', () => {
  const { queue, time, nextRound } = deliveries()
  const { received, joined } = listeners(6, time)
  queue.push([new NotificationText('1')], joined)
  joined.delete(joined.list[5]!)
  const late: string[] = []
  joined.add(({ text }) => late.push(text))
  nextRound()
  queue.push([new NotificationText('2')], joined)
  nextRound()
  expect(received.map((texts) => texts.length)).toEqual([2, 2, 2, 2, 2, 0])
  expect(late).toEqual(['2}}'])
})

test('delivers all messages at once when the queue exceeds its limit', () => {
  const { queue, time } = deliveries(100)
  const { received, joined } = listeners(10, time)
  queue.push([new NotificationText('1')], joined)
  expect(received.flat()).toHaveLength(4)
  queue.push([new NotificationText('2'.repeat(100))], joined)
  expect(received.flat()).toHaveLength(20)
})

test('delivers small messages, or those for few, before whole blocks for many', () => {
  const { queue, time, nextRound } = deliveries()
  const many = listeners(12, time)
  const few = listeners(2, time)
  const block = 'b'.repeat(1_000)
  queue.push([new NotificationText(block)], many.joined)
  expect(many.received.flat()).toHaveLength(4)
  queue.push([new NotificationText(block)], few.joined)
  queue.push([new NotificationText(block)], many.joined)
  queue.push([new NotificationText('last')], few.joined)
  nextRound()
  expect(few.received).toEqual([
    [`${block}}}`, 'last}}'],
    [`${block}}}`, 'last}}'],
  ])
  for (let round = 0; round < 5; round++) nextRound()
  for (const texts of many.received) expect(texts).toEqual([`${block}}}`, `${block}}}`])
})

test('a throwing listener does not affect the others', () => {
  const { queue, errors } = deliveries()
  const messages: string[] = []
  const joined = new Listeners<NotificationText>([
    () => {
      throw new Error('broken')
    },
    ({ text }) => messages.push(text),
  ])
  queue.push([new NotificationText('1')], joined)
  expect(messages).toEqual(['1}}'])
  expect(errors).toEqual([{ err: new Error('broken') }])
})

test('a message published by a listener follows the one being delivered', () => {
  const { queue } = deliveries()
  const messages: string[] = []
  const joined = new Listeners<NotificationText>()
  joined.add(({ text }) => {
    messages.push(`first ${text}`)
    if (text === '1}}') queue.push([new NotificationText('2')], joined)
  })
  joined.add(({ text }) => messages.push(`second ${text}`))
  queue.push([new NotificationText('1')], joined)
  expect(messages).toEqual(['first 1}}', 'second 1}}', 'first 2}}', 'second 2}}'])
})

test('queued messages share one list of subscribers', () => {
  const { queue, time } = deliveries()
  const { received, joined } = listeners(20_000, time)
  const before = process.memoryUsage().heapUsed
  for (let count = 0; count < 1_000; count++) queue.push([new NotificationText('1')], joined)
  // Otherwise the lists would have twenty million entries.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(32 * 1024 * 1024)
  expect(received.flat()).toHaveLength(4)
})

test('delivers the messages of one event to one listener after another, across slices too', () => {
  const { queue, time, nextRound } = deliveries()
  const messages: string[] = []
  const listener = (name: string) => (message: NotificationText) => {
    time.now += REQUEST_SLICE_MS / 4
    messages.push(`${name} ${message.text}`)
  }
  const joined = new Listeners<NotificationText>([listener('a'), listener('b')])
  queue.push(
    ['1', '2', '3'].map((text) => new NotificationText(text)),
    joined,
  )
  expect(messages).toEqual(['a 1}}', 'a 2}}', 'a 3}}', 'b 1}}'])
  nextRound()
  expect(messages.slice(4)).toEqual(['b 2}}', 'b 3}}'])
})
