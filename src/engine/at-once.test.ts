import { expect, test } from 'vitest'
import { atOnce, type Steps, settled } from './at-once.ts'
import type { AtOnce } from './types.ts'

function* sum(values: Iterable<AtOnce<number>>, onEnd = () => {}): Steps<number> {
  let total = 0
  try {
    for (const value of values) total += yield* settled(value)
    return total
  } finally {
    onEnd()
  }
}

test('work that waits for nothing is done at once', () => {
  expect(atOnce(sum([1, 2, 3]))).toBe(6)
})

test('work waits for what is not there yet', async () => {
  const working = atOnce(sum([1, Promise.resolve(2), 3, Promise.resolve(4)]))
  expect(working).toBeInstanceOf(Promise)
  expect(await working).toBe(10)
})

test('work that fails is tidied up, whether it waits or not', async () => {
  let ended = 0
  const onEnd = () => ended++
  await expect(atOnce(sum([1, Promise.reject(new Error('late'))], onEnd))).rejects.toThrow('late')
  const failing = {
    // biome-ignore lint/correctness/useYield: it fails before
    *[Symbol.iterator](): Generator<number> {
      throw new Error('early')
    },
  }
  await expect(atOnce(sum(failing, onEnd))).rejects.toThrow('early')
  expect(ended).toBe(2)
})

test('work can go on after what it waited for has failed', async () => {
  function* forgiving(): Steps<string> {
    try {
      return yield* settled<string>(Promise.reject(new Error('late')))
    } catch (error) {
      return `${(error as Error).message}, and gone on`
    }
  }
  expect(await atOnce(forgiving())).toBe('late, and gone on')
})
