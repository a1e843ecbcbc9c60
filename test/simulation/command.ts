import { writeFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { PROFILES } from './cluster/profiles.ts'
import { findMutants } from './find-mutants.ts'
import { ALL_MUTANTS } from './mutants.ts'
import { buildMappedProgram, buildProgram } from './program/build-program.ts'
import { ReachedCode, reachedTable } from './program/reached-code.ts'
import { OptionError, parseLimits, parseNumbers, replayCommand } from './run-options.ts'
import { shrink } from './shrink.ts'
import { type SimulationMode, type SimulationOptions, type SimulationResult, simulate } from './simulate.ts'
import { addResult, readTotals, totalsText, writeTotals } from './totals.ts'
import { tracePage } from './trace-page.ts'
import { type CompiledProgram, compileProgram } from './world/simulated-process.ts'
import { type TracedMessage, type TraceEntry, timelineLine } from './world/trace.ts'

/** Values of `options.mjs`. */
export interface SimulateOptions {
  readonly seeds: number
  readonly from: number
  readonly steps: number
  readonly mode: SimulationMode
  readonly profile: string
  readonly replay: string | undefined
  readonly until: string | undefined
  readonly skip: string | undefined
  readonly limit: string | undefined
  readonly trace: boolean
  readonly page: string | undefined
  readonly shrink: boolean
  readonly continue: string | undefined
  readonly mutant: string | undefined
  readonly mutants: boolean
  readonly coverage: boolean
  readonly json: boolean
}

export interface SimulateDeps {
  /** Root directory of the repository. */
  readonly root: string
  readonly out: (text: string) => void
  /** Whether the user has interrupted the program. */
  readonly isInterrupted: () => boolean
}

/** Runs of `--shrink` at most. */
const MAX_SHRINK_RUNS = 150

/** Runs seeds as the options say. @returns the exit code of the program */
export async function simulateCommand(options: SimulateOptions, deps: SimulateDeps): Promise<number> {
  const { out, root } = deps
  if (options.mutant === 'list' || options.profile === 'list') {
    const names = options.mutant === 'list' ? ALL_MUTANTS.map(({ name }) => name) : Object.keys(PROFILES)
    out(`${names.join('\n')}\n`)
    return 0
  }
  try {
    if (options.mutants) return await findMutants(options, deps)
    const mutant = ALL_MUTANTS.find(({ name }) => name === options.mutant)
    if (options.mutant !== undefined && mutant === undefined) {
      throw new OptionError(`there is no mutant ${options.mutant}: see --mutant list`)
    }
    const run = runOptions(options)
    if (options.coverage) return await printUnreached(options, run, deps)
    const program = compileProgram(await buildProgram(root, mutant?.changes))
    if (options.replay === undefined) return await runSeeds(options, run, { ...deps, program })
    return await replay(options, { ...run, seed: Number(options.replay) }, { ...deps, program })
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    out(`${error.message}\n`)
    return 2
  }
}

type RunOptions = Omit<SimulationOptions, 'seed'>
type RunDeps = SimulateDeps & { readonly program: CompiledProgram }

/** @throws OptionError */
function runOptions({ steps, mode, profile, skip, limit }: SimulateOptions): Omit<SimulationOptions, 'seed'> {
  if (PROFILES[profile] === undefined) throw new OptionError(`there is no profile ${profile}: see --profile list`)
  return { steps, mode, profile, limits: parseLimits(limit), skipped: parseNumbers(skip) }
}

/** Runs seeds, and prints their counts and how much of the code of nodes and replication they reached. */
async function printUnreached(
  { from, seeds }: SimulateOptions,
  run: RunOptions,
  { root, out, isInterrupted }: SimulateDeps,
): Promise<number> {
  const { code, map } = await buildMappedProgram(root)
  using reached = new ReachedCode()
  const program = compileProgram(code)
  const totals = readTotals(undefined, 'safety', from)
  for (let seed = from; seed < from + seeds && !isInterrupted(); seed += 1) {
    const begun = performance.now()
    addResult(totals, await simulate({ ...run, seed }, { program }), (performance.now() - begun) / 1_000)
    reached.add(code)
  }
  out(`${reachedTable(reached.linesOf(code, map))}${totalsText(totals)}`)
  return totals.failed.length === 0 ? 0 : 1
}

async function replay(options: SimulateOptions, run: SimulationOptions, { program, out }: RunDeps): Promise<number> {
  const until = options.until === undefined ? undefined : Number(options.until)
  const entries: TraceEntry[] = []
  const messages: TracedMessage[] = []
  const onEntry = (entry: TraceEntry) => {
    if (options.trace) out(`${timelineLine(entry)}\n`)
    if (options.page !== undefined) entries.push(entry)
  }
  const onMessage = options.page === undefined ? undefined : (message: TracedMessage) => void messages.push(message)
  const result = await simulate({ ...run, until }, { program, onEntry, onMessage })
  if (options.page !== undefined) writeFileSync(options.page, tracePage(run.seed, entries, messages))
  await report(options, run, result, { program, out })
  return result.failure === undefined ? 0 : 1
}

async function runSeeds(
  options: SimulateOptions,
  run: Omit<SimulationOptions, 'seed'>,
  { program, out, isInterrupted }: RunDeps,
): Promise<number> {
  const { mode, from, seeds, continue: file } = options
  const totals = readTotals(file, mode, from)
  const before = totals.failed.length
  for (let count = 0; (seeds === 0 || count < seeds) && !isInterrupted(); count += 1) {
    const begun = performance.now()
    const current = { ...run, seed: totals.nextSeed }
    const result = await simulate(current, { program })
    addResult(totals, result, (performance.now() - begun) / 1_000)
    if (file !== undefined) writeTotals(file, mode, totals)
    if (options.json || result.failure !== undefined) await report(options, current, result, { program, out })
  }
  out(options.json ? `${JSON.stringify({ totals })}\n` : totalsText(totals))
  return totals.failed.length > before ? 1 : 0
}

async function report(
  { json, mutant, ...options }: SimulateOptions,
  run: SimulationOptions,
  result: SimulationResult,
  { program, out }: Pick<RunDeps, 'program' | 'out'>,
): Promise<void> {
  const { failure, ...counts } = result
  if (json) {
    const broken = failure && { oracle: failure.oracle, message: failure.message }
    out(`${JSON.stringify({ ...counts, broken })}\n`)
    return
  }
  out(`${summaryOf(result)}\n`)
  if (failure === undefined) return
  const { cause } = failure
  out(`BROKEN: ${failure.oracle}: ${failure.message}\n${cause instanceof Error ? `${cause.stack}\n` : ''}`)
  const smaller = options.shrink
    ? await shrink({ options: run, result }, { run: (one) => simulate(one, { program }), maxRuns: MAX_SHRINK_RUNS })
    : { options: run, result }
  if (options.shrink) out(`smaller: ${summaryOf(smaller.result)}\n`)
  out(`  ${replayCommand(smaller.options, smaller.result.steps, mutant)}\n`)
}

function summaryOf({ seed, digest, steps, simulatedMs, flashblocks, crashes, acknowledged }: SimulationResult): string {
  return (
    `seed ${seed}: ${steps} effects in ${(simulatedMs / 1_000).toFixed(1)} simulated seconds, ${flashblocks} ` +
    `flashblocks, ${acknowledged} acknowledged transactions, ${crashes} crashes, trace ${digest}`
  )
}
