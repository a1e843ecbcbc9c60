import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { type SimulationResult, simulate } from './cluster/cluster.ts'
import { MUTANTS, type Mutant } from './mutants.ts'
import { buildProgram } from './program/build-program.ts'
import { compileProgram } from './world/simulated-process.ts'
import { timelineLine } from './world/trace.ts'

/** Values of `options.mjs`. */
export interface SimulateOptions {
  readonly seeds: number
  readonly from: number
  readonly steps: number
  readonly replay: string | undefined
  readonly until: string | undefined
  readonly trace: boolean
  readonly totals: string | undefined
  readonly mutant: string | undefined
  readonly mutants: boolean
  readonly json: boolean
}

export interface SimulateDeps {
  /** Root directory of the repository. */
  readonly root: string
  readonly out: (text: string) => void
}

/** Counts over all seeds of a file. */
interface Totals {
  nextSeed: number
  seeds: number
  failed: number
  flashblocks: number
  crashes: number
  simulatedSeconds: number
  seconds: number
}

/** Runs seeds as the options say. @returns the exit code of the program */
export async function simulateCommand(options: SimulateOptions, deps: SimulateDeps): Promise<number> {
  const { out, root } = deps
  if (options.mutant === 'list') {
    for (const { name } of MUTANTS) out(`${name}\n`)
    return 0
  }
  if (options.mutants) return findMutants(options, deps)
  const mutant = MUTANTS.find(({ name }) => name === options.mutant)
  if (options.mutant !== undefined && mutant === undefined) {
    out(`there is no mutant ${options.mutant}: see --mutant list\n`)
    return 2
  }
  const program = compileProgram(await buildProgram(root, mutant && [mutant.change]))
  if (options.replay !== undefined) {
    const seed = Number(options.replay)
    const until = options.until === undefined ? undefined : Number(options.until)
    const onEntry = (entry: Parameters<typeof timelineLine>[0]) => out(`${timelineLine(entry)}\n`)
    const result = await simulate({ seed, steps: options.steps, until }, { program, ...(options.trace && { onEntry }) })
    out(options.json ? jsonOf(result) : `${summaryOf(result)}\n${failureOf(result, options)}`)
    return result.failure === undefined ? 0 : 1
  }
  const totals = readTotals(options)
  const begun = performance.now()
  const before = { ...totals }
  for (let count = 0; count < options.seeds; count += 1) {
    const result = await simulate({ seed: totals.nextSeed, steps: options.steps }, { program })
    add(totals, result)
    totals.seconds = before.seconds + (performance.now() - begun) / 1_000
    if (options.totals !== undefined) writeFileSync(options.totals, `${JSON.stringify(totals, undefined, 2)}\n`)
    if (options.json) out(jsonOf(result))
    else if (result.failure !== undefined) out(`${summaryOf(result)}\n${failureOf(result, options)}`)
  }
  out(options.json ? `${JSON.stringify({ totals })}\n` : totalsText(totals))
  return totals.failed > before.failed ? 1 : 0
}

async function findMutants(options: SimulateOptions, { root, out }: SimulateDeps): Promise<number> {
  let missed = 0
  const row = (cells: readonly unknown[]) => out(`| ${cells.join(' | ')} |\n`)
  if (!options.json) {
    row(['fault', 'seeds', 'promise'])
    row(['---', '---', '---'])
  }
  for (const mutant of MUTANTS) {
    const found = await findMutant(mutant, root, options)
    if (found.oracle === undefined) missed += 1
    if (options.json) out(`${JSON.stringify({ mutant: mutant.name, ...found })}\n`)
    else row([mutant.name, found.oracle === undefined ? `not in ${found.seeds}` : found.seeds, found.oracle ?? ''])
  }
  return missed === 0 ? 0 : 1
}

/** @returns the number of seeds that were needed, and the promise that was broken */
async function findMutant(mutant: Mutant, root: string, { from, seeds, steps }: SimulateOptions) {
  const program = compileProgram(await buildProgram(root, [mutant.change]))
  for (let count = 1; count <= seeds; count += 1) {
    const { failure } = await simulate({ seed: from + count - 1, steps }, { program })
    if (failure !== undefined) return { seeds: count, oracle: failure.oracle }
  }
  return { seeds, oracle: undefined }
}

function readTotals({ from, totals }: SimulateOptions): Totals {
  if (totals !== undefined && existsSync(totals)) return JSON.parse(readFileSync(totals, 'utf8'))
  return { nextSeed: from, seeds: 0, failed: 0, flashblocks: 0, crashes: 0, simulatedSeconds: 0, seconds: 0 }
}

function add(totals: Totals, { simulatedMs, flashblocks, crashes, failure }: SimulationResult): void {
  totals.nextSeed += 1
  totals.seeds += 1
  totals.failed += failure === undefined ? 0 : 1
  totals.flashblocks += flashblocks
  totals.crashes += crashes
  totals.simulatedSeconds += simulatedMs / 1_000
}

function totalsText({ seeds, failed, flashblocks, crashes, simulatedSeconds, seconds, nextSeed }: Totals): string {
  const rate = (simulatedSeconds / seconds).toFixed(1)
  return (
    `${seeds} seeds, ${failed} failed, ${flashblocks} flashblocks, ${crashes} crashes; ` +
    `${Math.round(simulatedSeconds)} simulated seconds in ${Math.round(seconds)} s (${rate} per second); ` +
    `the next seed is ${nextSeed}\n`
  )
}

function summaryOf({ seed, digest, steps, simulatedMs, flashblocks, crashes, acknowledged }: SimulationResult): string {
  return (
    `seed ${seed}: ${steps} effects in ${(simulatedMs / 1_000).toFixed(1)} simulated seconds, ${flashblocks} ` +
    `flashblocks, ${acknowledged} acknowledged transactions, ${crashes} crashes, trace ${digest}`
  )
}

function failureOf({ seed, steps, failure }: SimulationResult, options: SimulateOptions): string {
  if (failure === undefined) return ''
  const mutant = options.mutant === undefined ? '' : ` --mutant ${options.mutant}`
  const { cause } = failure
  const stack = cause instanceof Error ? `${cause.stack}\n` : ''
  return (
    `BROKEN: ${failure.oracle}: ${failure.message}\n${stack}` +
    `  npm run simulate -- --replay ${seed} --steps ${options.steps} --until ${steps} --trace${mutant}\n`
  )
}

function jsonOf({ failure, ...result }: SimulationResult): string {
  const broken = failure && { oracle: failure.oracle, message: failure.message }
  return `${JSON.stringify({ ...result, broken })}\n`
}
