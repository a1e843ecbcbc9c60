import { describe, expect, test } from 'vitest'
import { type ConsoleRun, withRun } from './console-runs.ts'

const run = (text: string) => ({ method: 'eth_chainId', params: [], milliseconds: 1, isError: false, text })

function kept(texts: readonly string[]): readonly ConsoleRun[] {
  return texts.reduce<readonly ConsoleRun[]>((runs, text) => withRun(runs, run(text)), [])
}

describe('the results of the console', () => {
  test('are the newest twenty, newest first, each with its own id', () => {
    const runs = kept(Array.from({ length: 30 }, (_, index) => String(index)))
    expect(runs.map(({ text }) => Number(text))).toEqual(Array.from({ length: 20 }, (_, index) => 29 - index))
    expect(new Set(runs.map(({ id }) => id)).size).toBe(20)
  })

  test('are bounded together', () => {
    const runs = kept(Array.from({ length: 20 }, () => 'x'.repeat(1_000_000)))
    expect(runs).toHaveLength(4)
  })
})
