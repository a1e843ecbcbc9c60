import { expect, test } from 'vitest'
import type { StreamMessage } from '../node/log/record-source.ts'
import { MessageQueue } from './message-queue.ts'

function records(...numbers: number[]): StreamMessage {
  return { kind: 'records', records: numbers.map((sequence) => ({ sequence, payload: Buffer.of(sequence) })) }
}
const newest = (sequence: number): StreamMessage => ({ kind: 'newest', sequence, sent: sequence })

test('merges queued records, but not across other messages', async () => {
  const queue = new MessageQueue({ maxBytes: 100 })
  const given = records(1)
  queue.add(given, 1)
  queue.add(records(2, 3), 2)
  queue.add(newest(3), 0)
  queue.add(records(4), 1)
  expect(await queue.next()).toEqual(records(1, 2, 3))
  expect(given).toEqual(records(1))
  expect(await queue.next()).toEqual(newest(3))
  expect(await queue.next()).toEqual(records(4))
})

test('has room again after enough messages are taken', async () => {
  const queue = new MessageQueue({ maxBytes: 10 })
  await queue.room()
  queue.add(records(1), 9)
  expect(queue.isFull).toBe(false)
  queue.add(newest(1), 0)
  queue.add(records(2), 3)
  expect(queue.isFull).toBe(true)
  const room = queue.room()
  expect(await queue.next()).toEqual(records(1))
  await room
  expect(queue.isFull).toBe(false)
})

test('delivers queued messages before a failure, and then the failure to all callers', async () => {
  const queue = new MessageQueue({ maxBytes: 1 })
  queue.add(records(1), 1)
  const room = queue.room()
  queue.fail(new Error('gone'))
  queue.fail(new Error('again'))
  queue.add(records(2), 1)
  await room
  expect(await queue.next()).toEqual(records(1))
  await expect(queue.next()).rejects.toThrow('gone')
  const waiting = new MessageQueue({ maxBytes: 1 })
  const next = waiting.next()
  waiting.fail(new Error('gone'))
  await expect(next).rejects.toThrow('gone')
})

test('merges messages of 200,000 records each', async () => {
  const queue = new MessageQueue({ maxBytes: 1 })
  const payload = Buffer.of(0)
  const many = (first: number): StreamMessage => {
    return {
      kind: 'records',
      records: Array.from({ length: 200_000 }, (_, index) => ({ sequence: first + index, payload })),
    }
  }
  queue.add(many(1), 1)
  queue.add(many(200_001), 1)
  expect(await queue.next()).toMatchObject({ kind: 'records', records: { length: 400_000 } })
})
