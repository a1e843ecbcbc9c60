import type { SimulateDeps, SimulateOptions } from './command.ts'
import { ALL_MUTANTS, type Mutant } from './mutants.ts'
import { buildProgram } from './program/build-program.ts'
import { simulate } from './simulate.ts'
import { compileProgram } from './world/simulated-process.ts'

/** Runs every known fault until a seed finds it, and prints a table. @returns the exit code of the program */
export async function findMutants(options: SimulateOptions, { root, out }: SimulateDeps): Promise<number> {
  let missed = 0
  const row = (cells: readonly unknown[]) => out(`| ${cells.join(' | ')} |\n`)
  if (!options.json) {
    row(['fault', 'seeds', 'promise'])
    row(['---', '---', '---'])
  }
  for (const mutant of ALL_MUTANTS) {
    const found = await findMutant(mutant, root, options)
    if (found.oracle === undefined) missed += 1
    if (options.json) out(`${JSON.stringify({ mutant: mutant.name, ...found })}\n`)
    else row([mutant.name, found.oracle === undefined ? `not in ${found.seeds}` : found.seeds, found.oracle ?? ''])
  }
  return missed === 0 ? 0 : 1
}

/** @returns the number of seeds that were needed, and the promise that was broken */
async function findMutant({ changes, profile, effects }: Mutant, root: string, options: SimulateOptions) {
  const { from, seeds } = options
  const steps = Math.max(options.steps, effects ?? 0)
  const program = compileProgram(await buildProgram(root, changes))
  for (let count = 1; count <= seeds; count += 1) {
    const { failure } = await simulate({ seed: from + count - 1, steps, profile }, { program })
    if (failure !== undefined) return { seeds: count, oracle: failure.oracle }
  }
  return { seeds, oracle: undefined }
}
