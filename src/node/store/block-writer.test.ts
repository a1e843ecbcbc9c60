import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import type { BuiltBlock } from '../machine/head.ts'
import { BlockWriter, type BlockWriterOptions } from './block-writer.ts'

const CHANGED = { receipts: [], diff: { accounts: new Map([['0x01', {}]]), storage: new Map(), code: new Map() } }

const block = (number: number, layers: readonly unknown[] = [CHANGED]) =>
  ({ block: { header: { number } }, layers, prelude: undefined }) as unknown as BuiltBlock

/** A writer whose writes complete on request. */
function heldWriter(maxBehind: number, options: Partial<BlockWriterOptions> = {}) {
  const written: number[] = []
  const commits: number[][] = []
  const clock = new ManualClock({ wall: 0 })
  const ends: (() => void)[] = []
  let assemble = () => {}
  const failures: unknown[] = []
  const writer = new BlockWriter(
    { maxBehind, ...options },
    {
      clock,
      write: (blocks, onAssembled) =>
        new Promise((resolve) => {
          assemble = onAssembled
          ends.push(() => {
            const numbers = blocks.map((each) => each.block.header.number)
            written.push(...numbers)
            commits.push(numbers)
            resolve()
          })
        }),
      onFailure: (error) => failures.push(error),
    },
  )
  const end = async () => {
    ends.shift()!()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { writer, written, commits, clock, failures, assemble: () => assemble(), end }
}

test('writes blocks in order, one at a time', async () => {
  const { writer, written, end } = heldWriter(8)
  writer.enqueue(block(1))
  writer.enqueue(block(2))
  expect(writer.behind).toBe(2)
  await end()
  expect(written).toEqual([1])
  await end()
  await writer.idle()
  expect(written).toEqual([1, 2])
  expect(writer.behind).toBe(0)
})

test('writes following blocks that leave the state as it is together with a block', async () => {
  const { writer, written, end } = heldWriter(8)
  writer.enqueue(block(1))
  await end()
  writer.enqueue(block(2))
  await turn()
  for (const number of [3, 4, 5]) writer.enqueue(block(number, number === 5 ? [CHANGED] : []))
  await end()
  expect(written).toEqual([1, 2])

  await end()
  expect(written).toEqual([1, 2, 3, 4])
  await end()
  expect(written).toEqual([1, 2, 3, 4, 5])
})

test('writes waiting blocks together up to a number of changes', async () => {
  const { writer, commits, end } = heldWriter(8, { sharedItems: 6 })
  for (const number of [1, 2, 3, 4, 5, 6]) writer.enqueue(block(number, number === 4 ? [] : [CHANGED]))
  await end()
  await end()
  await end()
  await writer.idle()

  // Each block changes one account, and counts as two.
  expect(commits).toEqual([[1], [2, 3, 4, 5], [6]])
})

test('shares no commit between blocks to write and blocks to hold', async () => {
  const { writer, commits, end } = heldWriter(16, { sharedItems: 100 })
  writer.enqueue(block(1))
  writer.holdAbove(3)
  for (const number of [2, 3, 4]) writer.enqueue(block(number))
  await end()
  await end()
  await writer.idle()

  expect(commits).toEqual([[1], [2, 3]])
})

test('waits for more blocks, but not longer than asked, and not while it is to become idle', async () => {
  const { writer, commits, clock, end } = heldWriter(8, { sharedItems: 100, gathering: { blocks: 3, waitMs: 25 } })
  for (const number of [1, 2, 3]) writer.enqueue(block(number))
  await end()
  writer.enqueue(block(4))
  await turn()
  expect(commits).toEqual([[1, 2, 3]])

  clock.moveTo(25)
  await end()
  expect(commits).toEqual([[1, 2, 3], [4]])

  for (const number of [5, 6]) writer.enqueue(block(number))
  const idle = writer.idle()
  await end()
  await idle
  expect(commits).toEqual([[1, 2, 3], [4], [5, 6]])
})

test('has room again after a block is written', async () => {
  const { writer, end } = heldWriter(1)
  writer.enqueue(block(1))
  let hasRoom = false
  const room = writer.room().then(() => {
    hasRoom = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasRoom).toBe(false)
  await end()
  await room
  expect(hasRoom).toBe(true)
})

test('has room for unchanged blocks while a commit waits for the disk only', async () => {
  const { writer, assemble, end } = heldWriter(2)
  for (const number of [1, 2, 3]) writer.enqueue(block(number, []))
  let hasRoom = false
  const room = writer.roomForUnchanged().then(() => {
    hasRoom = true
  })
  await turn()
  expect(hasRoom).toBe(false)

  // The first commit took the first block: the others wait for the next.
  assemble()
  await turn()
  expect(hasRoom).toBe(false)
  await end()
  assemble()
  await room

  for (const number of [4, 5]) writer.enqueue(block(number, []))
  const next = writer.roomForUnchanged()
  await end()
  assemble()
  await next
  await end()
  await writer.room()
})

test('reports a failed write once, writes nothing after it and blocks no producer', async () => {
  const failures: unknown[] = []
  const writes: number[] = []
  const writer = new BlockWriter(
    { maxBehind: 1 },
    {
      write: async (blocks) => {
        writes.push(...blocks.map(({ block }) => block.header.number))
        throw new Error('disk full')
      },
      onFailure: (error) => failures.push(error),
    },
  )
  writer.enqueue(block(1))
  await writer.idle()
  writer.enqueue(block(2))
  await writer.room()
  expect(writes).toEqual([1])
  expect(failures).toHaveLength(1)
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('holds back blocks above a height until they are released', async () => {
  const { writer, written, end } = heldWriter(8)
  writer.holdAbove(1)
  for (const number of [1, 2, 3]) writer.enqueue(block(number))
  await end()
  await writer.idle()
  expect(written).toEqual([1])
  expect(writer.behind).toBe(2)

  writer.holdAbove(undefined)
  await end()
  await end()

  expect(written).toEqual([1, 2, 3])
})

test('writes held blocks when they would leave no room for others, or are large', async () => {
  const full = heldWriter(4)
  full.writer.holdAbove(0)
  for (const number of [1, 2, 3]) full.writer.enqueue(block(number))
  await full.end()
  await full.writer.idle()
  expect(full.written).toEqual([1])

  const large = heldWriter(8)
  large.writer.holdAbove(0)
  const accounts = new Map(Array.from({ length: 100_000 }, (_, index) => [index, {}]))
  large.writer.enqueue(block(1, [{ diff: { accounts, storage: new Map(), code: new Map() } }]))
  await large.end()
  await large.writer.idle()
  expect(large.written).toEqual([1])
})

test('discards enqueued blocks above a height while it is paused', async () => {
  const { writer, written, end } = heldWriter(8)
  for (const number of [1, 2, 3]) writer.enqueue(block(number))
  let isPaused = false
  const pausing = writer.pause().then(() => {
    isPaused = true
  })
  await turn()
  expect(isPaused).toBe(false)
  await end()
  await pausing

  writer.discardAbove(2)
  writer.resume()
  await end()
  await writer.idle()

  expect(written).toEqual([1, 2])
  expect(writer.behind).toBe(0)
})
