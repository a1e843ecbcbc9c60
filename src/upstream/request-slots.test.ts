import { expect, test } from 'vitest'
import { ManualClock } from '../../test/support/manual-clock.ts'
import { RequestSlots } from './request-slots.ts'

function slotsOf(maxRunning: number, maxWaiting: number) {
  const clock = new ManualClock({ wall: 0 })
  const slots = new RequestSlots({ maxRunning, maxWaiting }, { clock })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, deadline = 1_000) => {
    const task = () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    }
    return slots.run(task, deadline)
  }
  return { clock, slots, begun, run, end: (name: string) => ends.get(name)!() }
}

test('runs a limited number of requests at once and queues others in order', async () => {
  const { slots, begun, run, end } = slotsOf(2, 10)
  const all = ['a', 'b', 'c', 'd'].map((name) => run(name))
  expect(begun).toEqual(['a', 'b'])
  end('b')
  await all[1]
  expect(begun).toEqual(['a', 'b', 'c'])
  for (const name of ['a', 'c']) end(name)
  await Promise.all([all[0], all[2]])
  end('d')
  await all[3]
  expect(slots.running).toBe(0)
})

test('frees the slot of a failed request', async () => {
  const { slots } = slotsOf(1, 0)
  await expect(slots.run(() => Promise.reject(new Error('no')), 1_000)).rejects.toThrow('no')
  expect(await slots.run(async () => 7, 1_000)).toBe(7)
})

test('rejects a request beyond its deadline or the queue limit, and uses no slot for it', async () => {
  const { clock, slots, begun, run, end } = slotsOf(1, 1)
  const first = run('a')
  const timeoutError = run('b', 500)
  await expect(run('c')).rejects.toMatchObject({ failure: { kind: 'busy', waiting: 1 } })
  clock.moveTo(500)
  await expect(timeoutError).rejects.toMatchObject({ failure: { kind: 'timeout', milliseconds: 500 } })
  end('a')
  await first
  expect(begun).toEqual(['a'])
  expect(slots.running).toBe(0)
})
