import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StallWatchdog } from './stall-watch.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A thread with this many unanswered requests. */
function scene() {
  const thread = { requests: 0, stalls: [] as number[] }
  const watch = new StallWatchdog(
    { limitMs: 1_000 },
    { hasWork: () => thread.requests > 0, onStall: () => thread.stalls.push(performance.now()) },
  )
  const begin = performance.now()
  return {
    watch,
    give: () => {
      watch.start()
      thread.requests += 1
    },
    answer: () => {
      thread.requests -= 1
      watch.restart()
    },
    /** Milliseconds after the start. */
    stalls: () => thread.stalls.map((at) => at - begin),
  }
}

test('a thread that answers nothing within the limit is stalled', () => {
  const { give, stalls } = scene()
  give()
  vi.advanceTimersByTime(999)
  expect(stalls()).toEqual([])
  vi.advanceTimersByTime(5_000)
  expect(stalls()).toEqual([1_000])
})

test('does not report a thread that answers now and then, however much work it has', () => {
  const { give, answer: response, stalls } = scene()
  for (let round = 0; round < 20; round += 1) {
    give()
    give()
    vi.advanceTimersByTime(900)
    response()
  }
  expect(stalls()).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(stalls()).toEqual([19_000])
})

test('further requests do not extend the limit', () => {
  const { give, stalls } = scene()
  for (let round = 0; round < 9; round += 1) {
    give()
    vi.advanceTimersByTime(200)
  }
  expect(stalls()).toEqual([1_000])
})

test('an idle thread gets the full limit for its next request', () => {
  const { give, answer: response, stalls } = scene()
  give()
  response()
  vi.advanceTimersByTime(900)
  give()
  vi.advanceTimersByTime(999)
  expect(stalls()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(stalls()).toEqual([1_900])
})

test('reports nothing after end(), and keeps no timer without work', () => {
  const { watch, give, answer: response, stalls } = scene()
  give()
  response()
  vi.advanceTimersByTime(1_000)
  expect(vi.getTimerCount()).toBe(0)
  give()
  watch.end()
  vi.advanceTimersByTime(5_000)
  expect(stalls()).toEqual([])
})
