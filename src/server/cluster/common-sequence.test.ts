import { expect, test } from 'vitest'
import { CommonSequence } from './common-sequence.ts'

/** Whether the promise settles within one round of the event loop. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

test('resolves when every joined worker shows the record', async () => {
  const common = new CommonSequence<string>()
  expect(await isSettled(common.reached(99))).toBe(true)
  common.join('one', 5)
  common.join('two', 7)
  expect(await isSettled(common.reached(5))).toBe(true)
  const six = common.reached(6)
  const eight = common.reached(8)
  common.advance('one', 7)
  expect(await isSettled(six)).toBe(true)
  expect(await isSettled(eight)).toBe(false)
  common.advance('two', 9)
  expect(await isSettled(eight)).toBe(false)
  common.advance('one', 8)
  expect(await isSettled(eight)).toBe(true)
})

test('does not wait for a worker that has left, or has not joined', async () => {
  const common = new CommonSequence<string>()
  common.join('hangs', 1)
  common.join('goes on', 1)
  common.advance('starts', 1)
  const two = common.reached(2)
  common.advance('goes on', 2)
  expect(await isSettled(two)).toBe(false)
  common.leave('hangs')
  expect(await isSettled(two)).toBe(true)
  common.advance('hangs', 2)
  common.leave('goes on')
  expect(await isSettled(common.reached(3))).toBe(true)
})
