import { expect, test } from 'vitest'

interface Round {
  readonly stolen: number | undefined
  readonly rate: number
}
interface Module {
  readonly MOST_ATTEMPTS: number
  readonly MOST_STOLEN: number
  quietestOf(
    run: () => Promise<Round>,
    pause: (milliseconds: number) => Promise<void>,
  ): Promise<Round & { readonly attempts: number }>
  watchStolenTime(read: () => string): () => number | undefined
}
const module = new URL('../bench/support/stolen-time.mjs', import.meta.url)
const { MOST_ATTEMPTS, MOST_STOLEN, quietestOf, watchStolenTime } = (await import(module.href)) as Module

test.each([
  ['of the requested time', 'cpu  100 0 50 900 3 1 2 10 0 0', 'cpu  160 5 60 950 9 3 5 30 0 0', 0.2],
  ['none', 'cpu  100 0 50 900 3 1 2 10 0 0', 'cpu  160 5 60 950 9 3 5 10 0 0', 0],
  ['none of an idle machine', 'cpu  100 0 50 900 3 1 2 10 0 0', 'cpu  100 0 50 990 9 1 2 10 0 0', 0],
  ['unknown', 'cpu  100 0 50 900', 'cpu  160 5 60 950', undefined],
])('computes the share of stolen time: %s', (_, before, after, share) => {
  const texts = [before, after].map((line) => `${line}\ncpu0 1 2 3 4 5 6 7 8 0 0\n`)
  expect(watchStolenTime(() => texts.shift()!)()).toBe(share)
})

test('returns undefined if the system does not report stolen time', () => {
  const read = () => {
    throw new Error('ENOENT')
  }
  expect(watchStolenTime(read)()).toBeUndefined()
})

function rounds(...shares: (number | undefined)[]) {
  const left: Round[] = shares.map((stolen, index) => ({ stolen, rate: index }))
  return { left, run: async () => left.shift()! }
}

test('uses the first quiet round', async () => {
  const { left, run } = rounds(0.3, MOST_STOLEN, 0)
  expect(await quietestOf(run, async () => {})).toEqual({ stolen: MOST_STOLEN, rate: 1, attempts: 2 })
  expect(left).toHaveLength(1)
})

test('uses the least disturbed round if none was quiet', async () => {
  const shares = Array.from({ length: MOST_ATTEMPTS + 1 }, (_, index) => (index === 1 ? 0.1 : 0.2))
  const { left, run } = rounds(...shares)
  expect(await quietestOf(run, async () => {})).toEqual({ stolen: 0.1, rate: 1, attempts: MOST_ATTEMPTS })
  expect(left).toHaveLength(1)
})

test('uses every round if stolen time is unknown', async () => {
  const { run } = rounds(undefined, undefined)
  expect(await quietestOf(run, async () => {})).toEqual({ stolen: undefined, rate: 0, attempts: 1 })
})
