import { expect, test } from 'vitest'
import { backgroundYield } from './chain-writer.ts'

/** Rounds of the event loop that take so many milliseconds each, then none. */
function rounds(...durations: number[]) {
  const time = { now: 0, rounds: 0 }
  const turn = backgroundYield(
    async () => {
      time.now += durations[time.rounds] ?? 0
      time.rounds += 1
    },
    () => time.now,
  )
  return { turn, time }
}

test('background work goes on when a round brought nothing for others to do', async () => {
  const { turn, time } = rounds(0, 5)
  await turn()
  expect(time.rounds).toBe(1)
})

test('background work waits while rounds bring requests, one after the other', async () => {
  const { turn, time } = rounds(0.4, 0.4, 0.4, 0, 0.4)
  await turn()
  expect(time.rounds).toBe(4)
})

test('background work goes on at last, however many requests come', async () => {
  const { turn, time } = rounds(...new Array<number>(100).fill(0.7))
  await turn()
  expect(time.rounds).toBe(3)
  await turn()
  expect(time.rounds).toBe(6)
})
