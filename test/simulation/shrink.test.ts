import { expect, test } from 'vitest'
import { SimulationFailure } from './oracles/failure.ts'
import { shrink } from './shrink.ts'
import type { SimulationOptions, SimulationResult } from './simulate.ts'

/** A run that breaks a promise if these faults happen, there are clients, and it is long enough. */
function failingRun(needed: readonly number[], neededSteps: number) {
  let runs = 0
  const run = async (options: SimulationOptions): Promise<SimulationResult> => {
    runs += 1
    const { seed, steps, limits = {}, skipped = new Set() } = options
    const isBroken = limits.clients !== 0 && steps >= neededSteps && !needed.some((number) => skipped.has(number))
    return {
      seed,
      digest: JSON.stringify([steps, limits, [...skipped]]),
      steps,
      simulatedMs: 0,
      flashblocks: 0,
      crashes: 0,
      refusals: 0,
      acknowledged: 0,
      epochs: 0,
      faults: {},
      faultsByRole: {},
      drawnFaults: 20,
      failure: isBroken ? new SimulationFailure('acknowledged', 'lost') : undefined,
    }
  }
  return { run, runs: () => runs }
}

test('a smaller run has the parts, the faults and about the effects that its failure needs', async () => {
  const { run } = failingRun([3, 17], 700)
  const options = { seed: 5, steps: 3_000 }

  const smallest = await shrink({ options, result: await run(options) }, { run, maxRuns: 500 })

  const { steps, limits, skipped } = smallest.options
  expect(steps).toBeGreaterThanOrEqual(700)
  expect(steps).toBeLessThan(800)
  expect(limits).toEqual({ replicas: 0, readers: 0, subscribers: 0, filters: 0, clients: 1, nodes: 1 })
  const happening = Array.from({ length: 20 }, (_, index) => index + 1).filter((number) => !skipped!.has(number))
  expect(happening).toEqual([3, 17])
  expect(smallest.result.failure?.oracle).toBe('acknowledged')
})

test('the search for a smaller run ends after the given number of runs', async () => {
  const { run, runs } = failingRun([1], 1)
  const options = { seed: 5, steps: 3_000 }
  const result = await run(options)

  await shrink({ options, result }, { run, maxRuns: 7 })

  expect(runs()).toBe(8)
})
