import type { ClusterLimits } from './cluster/configuration.ts'
import type { SimulationOptions, SimulationResult } from './simulate.ts'

/** A run that broke a promise. */
export interface FailingRun {
  readonly options: SimulationOptions
  readonly result: SimulationResult
}

/** Numbers of parts to try, fewest first. */
const SMALLER: readonly (readonly [name: keyof ClusterLimits, counts: readonly number[]])[] = [
  ['replicas', [0, 1, 2]],
  ['readers', [0, 1, 2]],
  ['subscribers', [0, 1]],
  ['filters', [0]],
  ['clients', [0, 1, 2]],
  ['nodes', [1, 2]],
]
/** Share of the effects that is tried when fewer have to do. */
const STEP_SHARES = [0.5, 0.75, 0.9]

/** Looks for a smaller run that breaks the same promise: a smaller cluster, fewer faults, fewer effects. */
export async function shrink(
  failing: FailingRun,
  {
    run,
    maxRuns,
  }: { readonly run: (options: SimulationOptions) => Promise<SimulationResult>; readonly maxRuns: number },
): Promise<FailingRun> {
  let smallest = failing
  let runs = 0
  const tryOut = async (changes: Partial<SimulationOptions>): Promise<boolean> => {
    if (runs >= maxRuns) return false
    runs += 1
    const options = { ...smallest.options, ...changes }
    const result = await run(options)
    // An unchanged trace shows that the change left nothing out.
    if (result.failure?.oracle !== failing.result.failure?.oracle || result.digest === smallest.result.digest)
      return false
    smallest = { options, result }
    return true
  }
  const reduceSteps = async () => {
    const most = Math.min(smallest.options.steps, smallest.result.steps)
    for (const share of STEP_SHARES) if (await tryOut({ steps: Math.floor(most * share) })) return true
    return false
  }
  await tryOut({ steps: Math.min(failing.options.steps, failing.result.steps) })
  for (const [name, counts] of SMALLER) {
    for (const count of counts) if (await tryOut({ limits: { ...smallest.options.limits, [name]: count } })) break
  }
  while (await reduceSteps());
  await removeFaults(() => smallest, tryOut)
  while (await reduceSteps());
  return smallest
}

/** Leaves out half of the faults, then quarters, down to single ones. */
async function removeFaults(
  smallest: () => FailingRun,
  tryOut: (changes: Partial<SimulationOptions>) => Promise<boolean>,
): Promise<void> {
  for (let size = Math.ceil(smallest().result.drawnFaults / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let first = 1; first <= smallest().result.drawnFaults; first += size) {
      const { skipped = new Set<number>() } = smallest().options
      const some = Array.from({ length: size }, (_, index) => first + index).filter((number) => !skipped.has(number))
      if (some.length > 0) await tryOut({ skipped: new Set([...skipped, ...some]) })
    }
  }
}
