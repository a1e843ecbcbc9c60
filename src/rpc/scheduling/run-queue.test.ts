import { expect, test } from 'vitest'
import type { QueuedClient } from '../protocol/rpc-client.ts'
import { ANONYMOUS } from '../protocol/rpc-client.ts'
import { REQUEST_SLICE_MS, RunQueue } from './run-queue.ts'

const client = (): QueuedClient => ({ address: '', connection: {}, isReading: () => true })

/** Time and rounds that pass when the test says so. */
function rounds() {
  const actions: (() => void)[] = []
  const time = { now: 0 }
  const queue = new RunQueue({ now: () => time.now, nextRound: (action) => actions.push(action) })
  return {
    queue,
    time,
    async nextRound() {
      for (const action of actions.splice(0)) action()
      for (let index = 0; index < 20; index++) await Promise.resolve()
    },
  }
}

test('starts requests for one slice in a round, then one per round, in order', async () => {
  const { queue, time, nextRound } = rounds()
  const begun: number[] = []
  const requests = Array.from({ length: 10 }, async (_, index) => {
    const yieldIfDue = queue.begin(ANONYMOUS)
    if (yieldIfDue !== true) await yieldIfDue
    begun.push(index)
    // What a request takes, without giving turns.
    time.now += REQUEST_SLICE_MS / 2
  })
  expect(begun).toEqual([0, 1])
  for (let count = 3; count <= 10; count++) {
    await nextRound()
    expect(begun.length).toBe(count)
  }
  await Promise.all(requests)
  await nextRound()
  expect(queue.begin(ANONYMOUS)).toBe(true)
  expect(begun).toEqual([...begun].sort((a, b) => a - b))
})

test('resumes one long request per round, and starts new ones in between', async () => {
  const { queue, time, nextRound } = rounds()
  const order: string[] = []
  const long = async (name: string) => {
    for (let slice = 0; slice < 3; slice++) {
      await queue.resume(ANONYMOUS)
      order.push(name)
      time.now += REQUEST_SLICE_MS
    }
  }
  const both = Promise.all([long('a'), long('b')])
  for (let round = 0; round < 6; round++) {
    await nextRound()
    expect(order.length).toBe(round + 1)
    expect(queue.begin(ANONYMOUS)).toBe(true)
  }
  await both
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
})

test('starts several short requests per round for a quarter of a slice, and resumes long ones after them', async () => {
  const { queue, time, nextRound } = rounds()
  const order: string[] = []
  const request = async (name: string, milliseconds: number) => {
    const yieldIfDue = queue.begin(ANONYMOUS)
    if (yieldIfDue !== true) await yieldIfDue
    order.push(name)
    time.now += milliseconds
  }
  const all = [
    request('first', REQUEST_SLICE_MS),
    ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => request(name, REQUEST_SLICE_MS / 10)),
  ]
  all.push(queue.resume(ANONYMOUS).then(() => void order.push('long')))
  expect(order).toEqual(['first'])
  await nextRound()
  expect(order).toEqual(['first', 'a', 'b', 'c', 'long'])
  await nextRound()
  expect(order).toEqual(['first', 'a', 'b', 'c', 'long', 'd', 'e', 'f'])
  await Promise.all(all)
})

test('starts the request of a quiet client before further ones of a client with many', async () => {
  const { queue, time, nextRound } = rounds()
  const order: string[] = []
  const [busy, quiet] = [client(), client()]
  const request = async (who: QueuedClient, name: string) => {
    const started = queue.begin(who)
    if (started !== true) await started
    order.push(name)
    time.now += REQUEST_SLICE_MS
  }
  const all = Array.from({ length: 100 }, (_, index) => request(busy, `busy ${index}`))
  await nextRound()

  all.push(request(quiet, 'quiet'))
  await nextRound()
  await nextRound()

  expect(order.indexOf('quiet')).toBeGreaterThan(0)
  expect(order.indexOf('quiet')).toBeLessThanOrEqual(3)
  while (order.length < 101) await nextRound()
  await Promise.all(all)
})

test('resumes the long requests of two clients in turn, however many each has', async () => {
  const { queue, nextRound } = rounds()
  const order: string[] = []
  const [busy, quiet] = [client(), client()]
  const long = async (who: QueuedClient, name: string, slices: number) => {
    for (let slice = 0; slice < slices; slice++) {
      await queue.resume(who)
      order.push(name)
    }
  }
  const all = [...Array.from({ length: 10 }, () => long(busy, 'busy', 4)), long(quiet, 'quiet', 4)]
  for (let round = 0; round < 44; round++) await nextRound()
  await Promise.all(all)

  expect(order.slice(0, 8).filter((name) => name === 'quiet')).toHaveLength(4)
})
