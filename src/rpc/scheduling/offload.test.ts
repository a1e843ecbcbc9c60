import { expect, test } from 'vitest'
import { HandedOver, type Offload, offloadWhenSliceIsUsed } from './offload.ts'
import { SLICE } from './run-queue.ts'

const FREE: Offload = { isFree: () => true, run: () => Promise.resolve(undefined) }

/** The request's `mayContinue`, and what the process has run, as the test says. */
function request(mayContinue: () => boolean | Promise<boolean> = () => true, offload = FREE) {
  const time = { used: 0 }
  return { time, mayContinue: offloadWhenSliceIsUsed(mayContinue, () => time.used, offload) }
}

test('a short request began anew in another thread because the system ran something else meanwhile', () => {
  const { time, mayContinue } = request()
  // However much time passes between these, as long as the process runs little of it.
  for (let count = 0; count < 6; count++) {
    expect(mayContinue()).toBe(true)
    time.used += SLICE / 6
  }
})

test('a request that has used up its slice goes on in another thread', () => {
  const { time, mayContinue } = request()
  mayContinue()
  time.used += SLICE
  mayContinue()
  time.used += 1
  expect(mayContinue).toThrow(HandedOver)
})

test('what others did in their turn is not counted', async () => {
  const { time, mayContinue } = request(async () => {
    time.used += 100 * SLICE
    return true
  })
  for (let count = 0; count < 3; count++) {
    expect(await mayContinue()).toBe(true)
    time.used += SLICE / 4
  }
  time.used += SLICE
  expect(mayContinue).toThrow(HandedOver)
})

test('a request goes on here while no other thread is free', () => {
  const { time, mayContinue } = request(() => true, { ...FREE, isFree: () => false })
  for (let count = 0; count < 10; count++) {
    time.used += SLICE
    expect(mayContinue()).toBe(true)
  }
})
