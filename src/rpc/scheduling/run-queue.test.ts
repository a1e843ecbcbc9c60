import { expect, test } from 'vitest'
import { RunQueue, SLICE } from './run-queue.ts'

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
    const yieldIfDue = queue.begin()
    if (yieldIfDue !== true) await yieldIfDue
    begun.push(index)
    // What a request takes, without giving turns.
    time.now += SLICE / 2
  })
  expect(begun).toEqual([0, 1])
  for (let count = 3; count <= 10; count++) {
    await nextRound()
    expect(begun.length).toBe(count)
  }
  await Promise.all(requests)
  await nextRound()
  expect(queue.begin()).toBe(true)
  expect(begun).toEqual([...begun].sort((a, b) => a - b))
})

test('resumes one long request per round, and starts new ones in between', async () => {
  const { queue, time, nextRound } = rounds()
  const order: string[] = []
  const long = async (name: string) => {
    for (let slice = 0; slice < 3; slice++) {
      await queue.resume()
      order.push(name)
      time.now += SLICE
    }
  }
  const both = Promise.all([long('a'), long('b')])
  for (let round = 0; round < 6; round++) {
    await nextRound()
    expect(order.length).toBe(round + 1)
    expect(queue.begin()).toBe(true)
  }
  await both
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
})

test('starts several short requests per round for a quarter of a slice, and resumes long ones after them', async () => {
  const { queue, time, nextRound } = rounds()
  const order: string[] = []
  const request = async (name: string, milliseconds: number) => {
    const yieldIfDue = queue.begin()
    if (yieldIfDue !== true) await yieldIfDue
    order.push(name)
    time.now += milliseconds
  }
  const all = [request('first', SLICE), ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => request(name, SLICE / 10))]
  all.push(queue.resume().then(() => void order.push('long')))
  expect(order).toEqual(['first'])
  await nextRound()
  expect(order).toEqual(['first', 'a', 'b', 'c', 'long'])
  await nextRound()
  expect(order).toEqual(['first', 'a', 'b', 'c', 'long', 'd', 'e', 'f'])
  await Promise.all(all)
})
