import { describe, expect, test } from 'vitest'
import type { MaybePromise } from './maybe-promise.ts'
import { type AsyncSteps, awaited, finallyMaybe, mapMaybe, runSteps, settleMaybe } from './maybe-promise.ts'

function* sum(values: Iterable<MaybePromise<number>>, onEnd = () => {}): AsyncSteps<number> {
  let total = 0
  try {
    for (const value of values) total += yield* awaited(value)
    return total
  } finally {
    onEnd()
  }
}

test('runs synchronously when nothing has to be awaited', () => {
  expect(runSteps(sum([1, 2, 3]))).toBe(6)
})

test('awaits yielded promises', async () => {
  const working = runSteps(sum([1, Promise.resolve(2), 3, Promise.resolve(4)]))
  expect(working).toBeInstanceOf(Promise)
  expect(await working).toBe(10)
})

test('runs finally blocks when it fails, synchronously or not', async () => {
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

test('can continue after an awaited promise rejects', async () => {
  function* forgiving(): AsyncSteps<string> {
    try {
      return yield* awaited<string>(Promise.reject(new Error('late')))
    } catch (error) {
      return `${(error as Error).message}, and gone on`
    }
  }
  expect(await runSteps(forgiving())).toBe('late, and gone on')
})

const fail = (error: unknown) => {
  throw error
}

describe('mapMaybe', () => {
  test('applies the function at once to a value and later to a promise', async () => {
    expect(mapMaybe(1, (value) => value + 1)).toBe(2)
    expect(await mapMaybe(Promise.resolve(1), (value) => value + 1)).toBe(2)
  })
})

describe('settleMaybe', () => {
  const settle = (work: () => number | Promise<number>, onResult = (value: number) => `result ${value}`) =>
    settleMaybe(work, onResult, (error) => `error ${error}`)

  test('converts results and errors, thrown or rejected', async () => {
    expect(settle(() => 1)).toBe('result 1')
    expect(settle(() => fail('thrown'))).toBe('error thrown')
    expect(await settle(() => Promise.resolve(1))).toBe('result 1')
    expect(await settle(() => Promise.reject('rejected'))).toBe('error rejected')
  })

  test('passes errors of the result handler to the error handler', async () => {
    expect(settle(() => 1, fail)).toBe('error 1')
    expect(await settle(() => Promise.resolve(1), fail)).toBe('error 1')
  })
})

describe('finallyMaybe', () => {
  test('cleans up once after success and failure', async () => {
    let cleaned = 0
    const run = (work: () => number | Promise<number>) => finallyMaybe(work, () => cleaned++)

    expect(run(() => 1)).toBe(1)
    expect(() => run(() => fail(new Error('thrown')))).toThrow('thrown')
    expect(await run(() => Promise.resolve(1))).toBe(1)
    await expect(run(() => Promise.reject(new Error('rejected')))).rejects.toThrow('rejected')

    expect(cleaned).toBe(4)
  })
})
