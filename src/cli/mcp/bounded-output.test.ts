import { describe, expect, test } from 'vitest'
import { bounded, MAX_ANSWER_CHARACTERS } from './bounded-output.ts'

/** A chain of calls, each with one inner call. */
function deepTree(depth: number): { readonly name: string; readonly calls: readonly never[] } {
  let tree = { name: 'innermost', calls: [] as never[] }
  for (let level = 0; level < depth; level++) tree = { name: `level ${level}`, calls: [tree as never] }
  return tree
}

describe('bounded', () => {
  test('leaves an answer that fits as it is', () => {
    const answer = { number: 1, list: [1, 2], text: 'short', nothing: null }

    expect(bounded(answer)).toEqual(answer)
  })

  test('names the lists and texts that it cuts', () => {
    const answer = bounded({ logs: Array.from({ length: 300 }, (_, index) => index), code: 'x'.repeat(5_000) })

    expect(answer.logs).toHaveLength(200)
    expect(answer.code).toBe(`${'x'.repeat(4_000)}…`)
    expect(answer.truncated).toEqual(['logs: 200 of 300 entries', 'code: 4000 of 5000 characters'])
  })

  test('adds its cuts to those that the answer names', () => {
    const answer = bounded({ text: 'x'.repeat(5_000), truncated: ['trace: the first 2 of 3 frames'] })

    expect(answer.truncated).toEqual(['trace: the first 2 of 3 frames', 'text: 4000 of 5000 characters'])
  })

  test.each([
    ['many long texts', { texts: Array.from({ length: 1_000 }, () => 'x'.repeat(10_000)) }],
    ['a deep tree', { call: deepTree(1_000) }],
    [
      'a wide object',
      { args: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, 'x'.repeat(99)])) },
    ],
    ['lists of lists', { rows: Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => 'x'.repeat(50))) }],
  ])('fits %s into the limit and says so', (_, answer) => {
    const result = bounded(answer)

    expect(JSON.stringify(result).length).toBeLessThanOrEqual(MAX_ANSWER_CHARACTERS)
    expect(result.truncated).not.toEqual([])
  })
})
