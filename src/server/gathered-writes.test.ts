import { expect, test } from 'vitest'
import { GatheredWrites } from './gathered-writes.ts'

/** Writes by name, a clock that stands still, and rounds that end when they are told to. */
function gathering() {
  const written: string[] = []
  const clock = { now: 0 }
  let ends: (() => void)[] = []
  const writes = new GatheredWrites({ now: () => clock.now, nextRound: (action) => ends.push(action) })
  const endRound = () => {
    const now = ends
    ends = []
    for (const end of now) end()
  }
  return {
    written,
    clock,
    endRound,
    rounds: () => ends.length,
    hold: (name: string) => writes.hold(() => written.push(name)),
    writes,
  }
}

test('writes wait for the end of the round, and go out in their order', () => {
  const { written, hold, endRound, rounds } = gathering()
  for (const name of ['a', 'b', 'c']) hold(name)
  expect(written).toEqual([])
  expect(rounds()).toBe(1)
  endRound()
  expect(written).toEqual(['a', 'b', 'c'])
  endRound()
  hold('d')
  expect(written).toHaveLength(3)
  endRound()
  expect(written).toEqual(['a', 'b', 'c', 'd'])
})

test('no more than 32 are held', () => {
  const { written, hold } = gathering()
  for (let count = 0; count < 40; count++) hold(`${count}`)
  expect(written).toHaveLength(32)
})

test('what comes half a millisecond behind the first one takes all along at once', () => {
  const { written, clock, hold } = gathering()
  hold('a')
  clock.now = 0.4
  hold('b')
  expect(written).toEqual([])
  clock.now = 0.5
  hold('c')
  expect(written).toEqual(['a', 'b', 'c'])
  clock.now = 0.9
  hold('d')
  expect(written).toHaveLength(3)
})

test('what a write holds in turn is written in the next round', () => {
  const { written, writes, endRound } = gathering()
  writes.hold(() => {
    written.push('a')
    writes.hold(() => written.push('b'))
  })
  endRound()
  expect(written).toEqual(['a'])
  endRound()
  expect(written).toEqual(['a', 'b'])
})
