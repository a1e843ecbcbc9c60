import { expect, test } from 'vitest'
import { type FuzzTarget, fuzz } from './fuzz-target.ts'

const RUNS = 200_000
/** The fuzzer makes about 10,000 changes a second with coverage on a busy machine. */
const TIMEOUT_MS = 300_000

/** Accepts texts of one pair of brackets with digits, and has a fault three digits deep. */
const FAULTY: FuzzTarget = {
  description: '',
  run(bytes) {
    const text = Buffer.from(bytes).toString('latin1')
    if (!text.startsWith('(')) return
    if (text[1] !== '7') return
    if (text[2] !== '3') return
    if (text[3] === '9') throw new Error('the planted fault')
  },
  seeds: () => [Buffer.from('(12) and much text that has nothing to do with the fault')],
}

test('coverage leads the fuzzer to a fault that blind changes miss, and the input is made small', {
  timeout: TIMEOUT_MS,
}, async () => {
  const covered = /fuzz-target\.test/
  const { failure, executions } = await fuzz(FAULTY, [], { seed: 1, runs: RUNS, covered })
  const blind = await fuzz(FAULTY, [], { seed: 1, runs: RUNS, covered: /nothing/ })

  expect(blind.failure).toBeUndefined()
  expect(executions).toBeLessThan(RUNS)
  expect(failure?.error).toEqual(new Error('the planted fault'))
  expect(Buffer.from(failure!.bytes).toString()).toBe('(739')
})

test('a run depends on its seed only', async () => {
  const options = { runs: 2_000, covered: /fuzz-target\.test/ }
  const passing = { ...FAULTY, run: (bytes: Uint8Array) => void (bytes[0] === 0x28 && bytes[1]) }

  const [one, again, other] = [
    await fuzz(passing, [], { ...options, seed: 1 }),
    await fuzz(passing, [], { ...options, seed: 1 }),
    await fuzz(passing, [], { ...options, seed: 2 }),
  ]

  expect(again.executions).toBe(one.executions)
  expect(other.corpus.length).toBeGreaterThan(0)
})
