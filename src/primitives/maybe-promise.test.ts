import { expect, test } from 'vitest'
import type { MaybePromise } from './maybe-promise.ts'
import { type AsyncSteps, awaited, runSteps } from './maybe-promise.ts'

function* sum(values: Iterable<MaybePromise<number>>, onEnd = () => {}): AsyncSteps<number> {
  let total = 0
  try {
    for (const value of values) total += yield* awaited(value)
    return total
  } finally {
    onEnd()
  }
}

test('work that waits for nothing is done at once', () => {
  expect(runSteps(sum([1, 2, 3]))).toBe(6)
})

test('work waits for what is not there yet', async () => {
  const working = runSteps(sum([1, Promise.resolve(2), 3, Promise.resolve(4)]))
  expect(working).toBeInstanceOf(Promise)
  expect(await working).toBe(10)
})

test('work that fails is tidied up, whether it waits or not', async () => {
  let ended = 0
  const onEnd = () => ended++
  await expect(runSteps(sum([1, Promise.reject(new Error('late'))], onEnd))).rejects.toThrow('late')
  const failing = {
    // biome-ignore lint/correctness/useYield: it fails before
    *[Symbol.iterator](): Generator<number> {
      throw new Error('early')
    },
  }
  await expect(runSteps(sum(failing, onEnd))).rejects.toThrow('early')
  expect(ended).toBe(2)
})

test('work can go on after what it waited for has failed', async () => {
  function* forgiving(): AsyncSteps<string> {
    try {
      return yield* awaited<string>(Promise.reject(new Error('late')))
    } catch (error) {
      return `${(error as Error).message}, and gone on`
    }
  }
  expect(await runSteps(forgiving())).toBe('late, and gone on')
})
