import { FORKS, type Fork } from '../../src/chain/forks/forks.ts'
import { type Difference, difference } from './compare-engines.ts'
import type { FuzzProgram } from './fuzz-program.ts'
import { randomProgram } from './random-program.ts'
import { shrinkProgram } from './shrink-program.ts'

/** Forks in use on chains get half of the programs; the older ones share the rest. */
const RECENT: readonly Fork[] = ['cancun', 'prague', 'osaka']
const OLD = FORKS.filter((fork) => !RECENT.includes(fork))

export interface FuzzOptions {
  readonly seed: number
  /** Number of the first program, and how many. */
  readonly from: number
  readonly runs: number
  /** Default: all of them, with more programs for those in use. */
  readonly fork?: Fork
}

export interface FuzzFailure {
  readonly run: number
  /** The smallest program that still differs. */
  readonly program: FuzzProgram
  readonly difference: Difference
}

export interface FuzzReport {
  readonly passed: number
  readonly failures: readonly FuzzFailure[]
}

export function forkOfRun(run: number): Fork {
  const half = Math.floor(run / 2)
  return run % 2 === 0 ? RECENT[half % RECENT.length]! : OLD[half % OLD.length]!
}

/** Program `number`; the same in every run with the same seed. */
export function programOfRun({ seed, fork }: Pick<FuzzOptions, 'seed' | 'fork'>, run: number): FuzzProgram {
  return randomProgram(Math.imul(seed, 1_000_003) + run, fork ?? forkOfRun(run))
}

/** @param onProgress called with the number of programs after each */
export async function fuzz(options: FuzzOptions, onProgress: (report: FuzzReport) => void): Promise<FuzzReport> {
  const failures: FuzzFailure[] = []
  let passed = 0
  for (let run = options.from; run < options.from + options.runs; run++) {
    const program = programOfRun(options, run)
    if ((await difference(program)) === undefined) passed += 1
    else {
      const smallest = await shrinkProgram(program, async (smaller) => (await difference(smaller)) !== undefined)
      failures.push({ run, program: smallest, difference: (await difference(smallest))! })
    }
    onProgress({ passed, failures })
  }
  return { passed, failures }
}
