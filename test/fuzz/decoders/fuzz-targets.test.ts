import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fuzzTargets } from './fuzz-targets.ts'
import type { TargetRun } from './fuzz-totals.ts'

const PASSED: TargetRun = { minutes: 2, executions: 500, covered: 10, inputs: 2 }
const FAILED: TargetRun = { ...PASSED, failure: { input: '0xc0', error: 'Error: wrong' } }

async function sitting(given: { file?: string; names: string[]; runs?: Record<string, TargetRun>; last?: string }) {
  const started: string[] = []
  let text = ''
  const isGood = await fuzzTargets(
    { names: given.names, seed: 1, continue: given.file, json: false },
    {
      run: async (name, seed) => {
        started.push(`${name} ${seed}`)
        return given.runs?.[name] ?? PASSED
      },
      isInterrupted: () => given.last !== undefined && started.at(-1)?.split(' ')[0] === given.last,
      out: (part) => {
        text += part
      },
    },
  )
  return { started, isGood, text }
}

test('sittings add up, begin with the targets that have the least time, and repeat no seed', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'fuzzed-')), 'totals.json')
  const names = ['a', 'b', 'c']

  const first = await sitting({ file, names, last: 'b' })
  const second = await sitting({ file, names })

  expect(first.started).toEqual(['a 1', 'b 1'])
  expect(second.started).toEqual(['c 1', 'a 2', 'b 2'])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    a: { nextSeed: 3, executions: 1_000, minutes: 4, findings: [] },
    b: { nextSeed: 3, executions: 1_000, minutes: 4, findings: [] },
    c: { nextSeed: 2, executions: 500, minutes: 2, findings: [] },
  })
  expect(second.text).toContain('| a | 1,000 | 4.0 | 0 |')
})

test('a failure is printed with the command that repeats it, kept, and does not end the sitting', async () => {
  const { started, isGood, text } = await sitting({ names: ['a', 'b'], runs: { a: FAILED } })

  expect(isGood).toBe(false)
  expect(started).toEqual(['a 1', 'b 1'])
  expect(text).toContain('a: 500 executions, 10 characters of code, 2 inputs: FAILED\nError: wrong\n')
  expect(text).toContain('Again: npm run fuzz -- a --input 0xc0')
  expect(text).toContain('| a | 500 | 2.0 | 1 |')
})
