import { expect, test } from 'vitest'
import { backgroundYield } from './chain-writer.ts'

/** Rounds of the event loop with these durations in milliseconds, then idle ones. */
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

test('resumes background work after an idle round of the event loop', async () => {
  const { turn, time } = rounds(0, 5)
  await turn()
  expect(time.rounds).toBe(1)
})

test('delays background work while consecutive rounds serve requests', async () => {
  const { turn, time } = rounds(0.4, 0.4, 0.4, 0, 0.4)
  await turn()
  expect(time.rounds).toBe(4)
})

test('resumes background work after three busy rounds at the latest', async () => {
  const { turn, time } = rounds(...new Array<number>(100).fill(0.7))
  await turn()
  expect(time.rounds).toBe(3)
  await turn()
  expect(time.rounds).toBe(6)
})
