import { expect, test } from 'vitest'
import type { View } from '../../node/view.ts'
import { ThreadRest } from './thread-rest.ts'

/** A rest on a clock that stands still between actions; each request takes a millisecond. */
function setUp({ fails = false } = {}) {
  const planned: { readonly at: number; readonly action: () => void }[] = []
  const asked: string[] = []
  const failures: object[] = []
  const ends: object[] = []
  const view = { kept: 0 }
  let time = 0
  let collections = 0
  const parts = {
    answer: async (_view: View, text: string) => {
      if (fails) throw new Error('no result')
      asked.push(text)
      time += 1
      // The first takes longer than a short request may.
      return asked.length > 1
    },
    collect: () => () => {
      collections += 1
    },
    log: {
      error: (details: object) => failures.push(details),
      debug: (details: object) => ends.push(details),
    },
    now: () => time,
    later(milliseconds: number, action: () => void) {
      const plan = { at: time + milliseconds, action }
      planned.push(plan)
      return () => {
        if (planned.includes(plan)) planned.splice(planned.indexOf(plan), 1)
      }
    },
    activity: () => 0,
  }
  const kept = { retain: () => view.kept++, release: () => view.kept-- } as unknown as View
  const rest = new ThreadRest({ requests: ['one', 'other'] }, parts)
  /** Lets so many milliseconds pass. */
  const pass = async (milliseconds: number) => {
    const end = time + milliseconds
    for (;;) {
      planned.sort((a, b) => a.at - b.at)
      if (planned[0] === undefined || planned[0].at > end) break
      const { at, action } = planned.shift()!
      time = Math.max(time, at)
      action()
      // What it asks is answered.
      for (let round = 0; round < 8; round++) await Promise.resolve()
    }
    time = Math.max(time, end)
  }
  return {
    rest,
    pass,
    /** Until it has nothing more to do, each time. */
    async restTwice() {
      rest.begin(kept)
      await pass(30_000)
      rest.end()
      rest.begin(kept)
      await pass(30_000)
    },
    view: kept,
    asked,
    failures,
    ends,
    isViewKept: () => view.kept > 0,
    collections: () => collections,
  }
}

test('the first time it asks itself what comes in bursts, for 1.5 seconds in all, and gives memory back when that is done', async () => {
  const { rest, view, asked, ends, isViewKept, collections, pass } = setUp()
  rest.begin(view)
  await pass(5_000)
  expect(new Set(asked)).toEqual(new Set(['one', 'other']))
  expect(isViewKept()).toBe(true)
  expect(collections()).toBe(0)
  await pass(30_000)
  expect(asked).toHaveLength(1_500)
  expect(ends).toEqual([{ end: 'done', results: 1_499 }])
  expect(isViewKept()).toBe(false)
  expect(collections()).toBe(2)
})

test('later it gives memory back only', async () => {
  const { restTwice, asked, collections } = setUp()
  await restTwice()
  expect(asked).toHaveLength(1_500)
  expect(collections()).toBe(4)
})

test('who asks ends the warming, and it begins anew at the next rest', async () => {
  const { rest, view, asked, isViewKept, collections, pass } = setUp()
  rest.begin(view)
  await pass(1_000)
  const before = asked.length
  rest.end()
  await pass(30_000)
  expect(before).toBeGreaterThan(0)
  expect(asked).toHaveLength(before)
  expect(isViewKept()).toBe(false)
  expect(collections()).toBe(0)
  rest.begin(view)
  await pass(30_000)
  expect(asked).toHaveLength(before + 1_500)
  expect(isViewKept()).toBe(false)
  expect(collections()).toBe(2)
})

test('a request that it cannot answer ends the warming, once and for all', async () => {
  const { restTwice, failures, isViewKept, collections } = setUp({ fails: true })
  await restTwice()
  expect(failures).toHaveLength(1)
  expect(isViewKept()).toBe(false)
  expect(collections()).toBe(4)
})

test('where there is nothing to ask on, it gives memory back only', async () => {
  const { rest, asked, collections, pass } = setUp()
  rest.begin(undefined)
  await pass(30_000)
  expect(asked).toEqual([])
  expect(collections()).toBe(2)
})

test('it does not collect garbage once somebody asks', async () => {
  const { rest, collections, pass } = setUp()
  rest.begin(undefined)
  await pass(1_000)
  rest.end()
  await pass(30_000)
  expect(collections()).toBe(0)
})
