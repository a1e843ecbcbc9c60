import { expect, test } from 'vitest'
import type { BuiltBlock } from '../replay/head.ts'
import { BlockWriter } from './block-writer.ts'

const block = (number: number) => ({ block: { header: { number } } }) as unknown as BuiltBlock

/** A writer whose writes complete on request. */
function heldWriter(maxBehind: number) {
  const written: number[] = []
  const ends: (() => void)[] = []
  const failures: unknown[] = []
  const writer = new BlockWriter(
    { maxBehind },
    {
      write: ({ block: { header } }) =>
        new Promise((resolve) => {
          ends.push(() => {
            written.push(header.number)
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
  return { writer, written, failures, end }
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

test('reports a failed write once, writes nothing after it and blocks no producer', async () => {
  const failures: unknown[] = []
  const writes: number[] = []
  const writer = new BlockWriter(
    { maxBehind: 1 },
    {
      write: async ({ block: { header } }) => {
        writes.push(header.number)
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
