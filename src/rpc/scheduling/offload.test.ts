import { expect, test } from 'vitest'
import { type Offload, stopWhenSliceIsUsed } from './offload.ts'
import { REQUEST_SLICE_MS } from './run-queue.ts'

const FREE: Offload = { isFree: () => true, startSpareThread: () => undefined, run: () => Promise.resolve(undefined) }

/** The request's `mayContinue`, and what the process has run, as the test says. */
function request(mayContinue: () => boolean | Promise<boolean> = () => true, offload = FREE) {
  const time = { used: 0 }
  const stops = { count: 0 }
  const onStop = () => {
    stops.count += 1
  }
  return { time, stops, mayContinue: stopWhenSliceIsUsed(mayContinue, { used: () => time.used, offload, onStop }) }
}

test('does not offload a request for time in which the system ran other processes', () => {
  const { time, mayContinue } = request()
  // However much time passes between these, as long as the process runs little of it.
  for (let count = 0; count < 6; count++) {
    expect(mayContinue()).toBe(true)
    time.used += REQUEST_SLICE_MS / 6
  }
})

test('stops a request that has used its slice while another thread is free', () => {
  const { time, stops, mayContinue } = request()
  mayContinue()
  time.used += REQUEST_SLICE_MS
  mayContinue()
  time.used += 1
  expect(mayContinue()).toBe(false)
  expect(stops.count).toBe(1)
})

test('does not count the time of others while the request had yielded', async () => {
  const { time, stops, mayContinue } = request(async () => {
    time.used += 100 * REQUEST_SLICE_MS
    return true
  })
  for (let count = 0; count < 3; count++) {
    expect(await mayContinue()).toBe(true)
    time.used += REQUEST_SLICE_MS / 4
  }
  time.used += REQUEST_SLICE_MS
  expect(mayContinue()).toBe(false)
  expect(stops.count).toBe(1)
})

test('continues on this thread while no other one is free, and asks for another one', () => {
  const grown = { count: 0 }
  const startSpareThread = () => {
    grown.count += 1
  }
  const { time, mayContinue } = request(() => true, { ...FREE, isFree: () => false, startSpareThread })
  for (let count = 0; count < 10; count++) {
    time.used += REQUEST_SLICE_MS
    expect(mayContinue()).toBe(true)
  }
  expect(grown.count).toBeGreaterThan(0)
})
