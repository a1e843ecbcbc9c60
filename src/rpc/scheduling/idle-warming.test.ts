import { expect, test } from 'vitest'
import { type IdleWarmingDeps, type WarmingEnd, warmWhenIdle } from './idle-warming.ts'

const OPTIONS = { limitMs: 10, withinMs: 1_000, requests: ['a', 'b', 'c'] }

/** Time passes by answering, `cost` milliseconds each, and by waiting. */
function fakeLoop({ cost = 0.4, ...deps }: Partial<IdleWarmingDeps> & { readonly cost?: number } = {}) {
  const requested: string[] = []
  const ends: WarmingEnd[] = []
  let time = 0
  let due: { readonly at: number; readonly action: () => void } | undefined
  return {
    requested,
    ends,
    get inclusionWaits() {
      return due !== undefined
    },
    deps: {
      rpc: {
        handle(text: string) {
          requested.push(text)
          time += cost
          return Promise.resolve('{}')
        },
      },
      now: () => time,
      later(milliseconds: number, action: () => void) {
        due = { at: time + milliseconds, action }
        return () => {
          due = undefined
        }
      },
      activity: () => 0,
      untilSlotMs: () => 100,
      onEnd: (end: WarmingEnd) => ends.push(end),
      ...deps,
    },
    /** To the next time that something is to be done, and until that is done. */
    async goOn(): Promise<void> {
      const { at, action } = due!
      due = undefined
      time = Math.max(time, at)
      action()
      for (let round = 0; round < 20; round++) await Promise.resolve()
    },
    pass(milliseconds: number) {
      time += milliseconds
    },
  }
}

test('runs one request after the other, in slices of a millisecond', async () => {
  const loop = fakeLoop()
  warmWhenIdle(OPTIONS, loop.deps)
  expect(loop.requested).toEqual([])
  await loop.goOn()
  expect(loop.requested).toEqual(['a', 'b', 'c'])
  await loop.goOn()
  expect(loop.requested).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
})

test('ends after its last request', async () => {
  const loop = fakeLoop({ cost: 2 })
  warmWhenIdle(OPTIONS, loop.deps)
  for (let slice = 0; slice < 5; slice++) await loop.goOn()
  expect(loop.requested).toHaveLength(5)
  expect(loop.inclusionWaits).toBe(false)
  expect(loop.ends).toEqual([{ kind: 'done' }])
})

test('ends at its deadline, even without progress', async () => {
  const loop = fakeLoop()
  warmWhenIdle(OPTIONS, loop.deps)
  loop.pass(1_000)
  await loop.goOn()
  expect(loop.inclusionWaits).toBe(false)
  expect(loop.ends).toEqual([{ kind: 'outOfTime' }])
})

test('pauses while the thread is busy, and resumes afterwards', async () => {
  let activity = 0.9
  const loop = fakeLoop({ activity: () => activity })
  warmWhenIdle(OPTIONS, loop.deps)
  await loop.goOn()
  await loop.goOn()
  expect(loop.requested).toEqual([])
  activity = 0.1
  await loop.goOn()
  expect(loop.requested).toHaveLength(3)
})

test('pauses right before a slot', async () => {
  let untilSlot = 3
  const loop = fakeLoop({ untilSlotMs: () => untilSlot })
  warmWhenIdle(OPTIONS, loop.deps)
  await loop.goOn()
  expect(loop.requested).toEqual([])
  untilSlot = 190
  await loop.goOn()
  expect(loop.requested).toHaveLength(3)
})

test('finishes the running request before it stops, and starts no other', async () => {
  let respond = (_: string) => {}
  const requested: string[] = []
  const handle = (text: string) => {
    requested.push(text)
    return new Promise<string>((resolve) => {
      respond = resolve
    })
  }
  const loop = fakeLoop({ rpc: { handle } })
  const stop = warmWhenIdle(OPTIONS, loop.deps)
  await loop.goOn()
  expect(loop.ends).toEqual([])
  let isStopped = false
  const stopping = stop().then(() => {
    isStopped = true
  })
  await Promise.resolve()
  expect(isStopped).toBe(false)
  respond('{}')
  await stopping
  expect(requested).toEqual(['a'])
  expect(loop.inclusionWaits).toBe(false)
  await stop()
  expect(loop.ends).toEqual([{ kind: 'stopped' }])
})

test('ends with the error of a request that throws', async () => {
  const failure = new Error('no view')
  const loop = fakeLoop({ rpc: { handle: () => Promise.reject(failure) } })
  warmWhenIdle(OPTIONS, loop.deps)
  await loop.goOn()
  expect(loop.ends).toEqual([{ kind: 'failed', error: failure }])
  expect(loop.inclusionWaits).toBe(false)
})
