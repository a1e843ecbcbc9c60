import { expect, test } from 'vitest'
import { IdleCollector, shouldCollect } from './idle-memory.ts'

const MEBIBYTE = 1024 * 1024

test.each([
  ['little garbage', 20, 50, 50, 0.05, false],
  ['much garbage, and nothing happens', 20, 200, 201, 0.05, true],
  ['much garbage, while more comes', 20, 150, 200, 0.05, false],
  ['much garbage, some of which went', 20, 200, 120, 0.05, true],
  ['a pause of all garbage came on top in a busy node, right after V8 had collected some', 20, 200, 120, 0.8, false],
])('%s', (_, floor, before, now, busy, expected) => {
  const looks = { floor: floor * MEBIBYTE, before: before * MEBIBYTE, now: now * MEBIBYTE, busy }
  expect(shouldCollect(looks)).toBe(expected)
})

/** A process of which `live` is in use and `garbage` can be collected, in MiB. */
function collected() {
  const memory = { live: 100, garbage: 0, collections: 0 }
  const collector = new IdleCollector({
    used: () => (memory.live + memory.garbage) * MEBIBYTE,
    busy: () => 0,
    collect: () => {
      memory.garbage = 0
      memory.collections += 1
    },
  })
  const samples = (count: number) => {
    for (let sample = 0; sample < count; sample++) collector.sample()
  }
  return { memory, samples }
}

test('collects what became garbage after the last collection', () => {
  const { memory, samples } = collected()
  memory.live = 400
  samples(2)
  expect(memory.collections).toBe(1)

  memory.live = 100
  memory.garbage = 300
  samples(4)

  expect(memory).toEqual({ live: 100, garbage: 0, collections: 2 })
  samples(1_000)
  expect(memory.collections).toBe(2)
})

test('repeats a collection four times at most while the memory stays in use', () => {
  const { memory, samples } = collected()
  memory.live = 400

  samples(1_000)
  expect(memory.collections).toBe(5)
  memory.garbage = 100
  samples(1_000)

  expect(memory).toEqual({ live: 400, garbage: 0, collections: 6 })
})
