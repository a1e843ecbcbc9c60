import { expect, test } from 'vitest'
import { CoalescedWrites } from './coalesced-writes.ts'

/** Writes by name, a manual clock, and rounds that end on request. */
function gathering() {
  const written: string[] = []
  const clock = { now: 0 }
  let ends: (() => void)[] = []
  const writes = new CoalescedWrites({ now: () => clock.now, nextRound: (action) => ends.push(action) })
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

test('delays writes until the end of the round and keeps their order', () => {
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

test('holds at most 32 writes', () => {
  const { written, hold } = gathering()
  for (let count = 0; count < 40; count++) hold(`${count}`)
  expect(written).toHaveLength(32)
})

test('writes overdue responses before more work starts, and holds others', () => {
  const { written, clock, hold, writes } = gathering()
  writes.writeOverdue()
  hold('a')
  clock.now = 0.4
  hold('b')
  writes.writeOverdue()
  expect(written).toEqual([])
  clock.now = 0.5
  writes.writeOverdue()
  expect(written).toEqual(['a', 'b'])
  clock.now = 0.9
  hold('c')
  writes.writeOverdue()
  expect(written).toHaveLength(2)
})

test('calls `onWritten` after all writes, in a later step', async () => {
  const { written, writes, endRound } = gathering()
  for (const name of ['a', 'b']) {
    writes.hold(
      () => written.push(name),
      () => written.push(`${name} told`),
    )
  }
  endRound()
  expect(written).toEqual(['a', 'b'])
  await new Promise<void>((resolve) => process.nextTick(resolve))
  expect(written).toEqual(['a', 'b', 'a told', 'b told'])
})

test('writes entries held during a write in the next round', () => {
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
