import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { simulate } from './cluster/cluster.ts'
import { MUTANTS } from './mutants.ts'
import { buildProgram } from './program/build-program.ts'
import { compileProgram } from './world/simulated-process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const SEEDS = 30
const STEPS = 3_000
const TIMEOUT_MS = 900_000

test(`the clusters of ${SEEDS} seeds keep every promise`, { timeout: TIMEOUT_MS }, async () => {
  const program = compileProgram(await buildProgram(root))

  let [crashes, epochs] = [0, 0]
  for (let seed = 101; seed < 101 + SEEDS; seed += 1) {
    const result = await simulate({ seed, steps: STEPS }, { program })
    expect(result.failure, `seed ${seed}`).toBeUndefined()
    crashes += result.crashes
    epochs += result.epochs
  }

  expect(crashes).toBeGreaterThan(SEEDS)
  expect(epochs).toBeGreaterThan(SEEDS / 2)
})

test.each(MUTANTS)(`${SEEDS} seeds find the fault $name`, { timeout: TIMEOUT_MS }, async ({ change }) => {
  const program = compileProgram(await buildProgram(root, [change]))

  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { failure } = await simulate({ seed, steps: STEPS }, { program })
    if (failure !== undefined) return
  }

  expect.fail('no seed broke a promise')
})
