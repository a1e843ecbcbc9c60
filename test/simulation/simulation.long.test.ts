import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testRandom } from '../support/test-seed.ts'
import { ALL_MUTANTS, type Mutant } from './mutants.ts'
import { buildProgram } from './program/build-program.ts'
import { simulate } from './simulate.ts'
import { compileProgram } from './world/simulated-process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const SEEDS = 60
const LIVE_SEEDS = 4
/** Of each profile: few runs would not show what depends on compiled code. */
const REPEATED_SEEDS = 25
const STEPS = 500
/** Known faults of a run: other ones each time. */
const MUTANTS_PER_RUN = 8
/** Seeds that may be needed to find a known fault. */
const MUTANT_SEEDS = 200
const MUTANT_STEPS = 3_000
const TIMEOUT_MS = 900_000

test(`the clusters of ${SEEDS} seeds keep every promise`, { timeout: TIMEOUT_MS }, async () => {
  const program = compileProgram(await buildProgram(root))

  let [crashes, epochs] = [0, 0]
  for (let seed = 101; seed < 101 + SEEDS; seed += 1) {
    const result = await simulate({ seed, steps: 2 * STEPS }, { program })
    expect(result.failure, `seed ${seed}`).toBeUndefined()
    crashes += result.crashes
    epochs += result.epochs
  }

  expect(crashes).toBeGreaterThan(SEEDS)
  expect(epochs).toBeGreaterThan(SEEDS / 2)
})

test(`the cores of ${LIVE_SEEDS} clusters make flashblocks, and runs repeat`, { timeout: TIMEOUT_MS }, async () => {
  const program = compileProgram(await buildProgram(root))

  for (let seed = 201; seed < 201 + LIVE_SEEDS; seed += 1) {
    const options = { seed, steps: STEPS / 2, mode: 'liveness' } as const
    const [result, again] = [await simulate(options, { program }), await simulate(options, { program })]
    expect(result.failure, `seed ${seed}`).toBeUndefined()
    expect(again.digest, `seed ${seed}`).toBe(result.digest)
  }
})

test.each(['all', 'readers'])(
  `${REPEATED_SEEDS} seeds of profile %s give the same trace twice`,
  { timeout: TIMEOUT_MS },
  async (profile) => {
    const program = compileProgram(await buildProgram(root))

    for (let seed = 301; seed < 301 + REPEATED_SEEDS; seed += 1) {
      const options = { seed, steps: STEPS, profile }
      const [result, again] = [await simulate(options, { program }), await simulate(options, { program })]
      expect(again.digest, `seed ${seed}`).toBe(result.digest)
    }
  },
)

test.each(someMutants())(`${MUTANT_SEEDS} seeds find the fault $name`, { timeout: TIMEOUT_MS }, async (mutant) => {
  const { changes, profile, effects = MUTANT_STEPS, foundBy } = mutant
  const program = compileProgram(await buildProgram(root, changes))

  // The seed that found it last is tried first.
  const seeds = [foundBy, ...Array.from({ length: MUTANT_SEEDS }, (_, index) => index + 1)]
  for (const seed of seeds) {
    const { failure } = await simulate({ seed, steps: effects, profile }, { program })
    if (failure !== undefined) return
  }

  expect.fail('no seed broke a promise')
})

function someMutants(): readonly Mutant[] {
  const random = testRandom()
  const drawn = ALL_MUTANTS.map((mutant) => ({ mutant, order: random() }))
  return drawn
    .sort((one, other) => one.order - other.order)
    .slice(0, MUTANTS_PER_RUN)
    .map(({ mutant }) => mutant)
}
