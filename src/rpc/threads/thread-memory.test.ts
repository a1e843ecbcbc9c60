import { expect, test } from 'vitest'
import { ThreadMemory } from './thread-memory.ts'

/** Idle periods on a manual clock between actions. */
function setUp() {
  const planned: { readonly at: number; readonly action: () => void }[] = []
  let time = 0
  let collections = 0
  const rest = new ThreadMemory({
    collect: () => () => {
      collections += 1
    },
    later(milliseconds, action) {
      const plan = { at: time + milliseconds, action }
      planned.push(plan)
      return () => {
        if (planned.includes(plan)) planned.splice(planned.indexOf(plan), 1)
      }
    },
  })
  const pass = (milliseconds: number) => {
    time += milliseconds
    for (const plan of planned.filter(({ at }) => at <= time)) {
      planned.splice(planned.indexOf(plan), 1)
      plan.action()
    }
  }
  return { rest, pass, collections: () => collections }
}

test('collects garbage once after long requests', () => {
  const { rest, pass, collections } = setUp()
  for (let count = 0; count < 20; count++) rest.hasWorked(90)
  rest.begin()
  pass(30_000)
  expect(collections()).toBe(2)
  rest.end()
  rest.begin()
  pass(30_000)
  expect(collections()).toBe(2)
})

test('does not collect garbage after short requests, which would discard compiled code', () => {
  const { rest, pass, collections } = setUp()
  // Requests that were forwarded because they had yet to be compiled.
  for (let count = 0; count < 10; count++) rest.hasWorked(20)
  rest.begin()
  pass(30_000)
  expect(collections()).toBe(0)
})

test('does not collect garbage after a new request, but when the thread is idle again', () => {
  const { rest, pass, collections } = setUp()
  rest.hasWorked(1_000)
  rest.begin()
  pass(7_000)
  rest.end()
  pass(30_000)
  expect(collections()).toBe(1)
  rest.begin()
  pass(30_000)
  expect(collections()).toBe(3)
})
