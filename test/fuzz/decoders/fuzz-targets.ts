import { addRun, readFuzzTotals, type TargetRun, totalsTable, writeFuzzTotals } from './fuzz-totals.ts'

export interface FuzzTargetsOptions {
  readonly names: readonly string[]
  /** Seed of the first run of a target. */
  readonly seed: number
  /** File with the counts of earlier sittings, which this one adds to. */
  readonly continue: string | undefined
  readonly json: boolean
}

export interface FuzzTargetsDeps {
  /** Runs a target in a process of its own, where V8 has compiled none of the code whose coverage counts. */
  readonly run: (name: string, seed: number) => Promise<TargetRun>
  readonly isInterrupted: () => boolean
  readonly out: (text: string) => void
}

/**
 * Runs targets one after the other, those with the least time so far first, and prints the counts of each and of all
 * sittings.
 *
 * @returns whether all decoders pass
 */
export async function fuzzTargets(options: FuzzTargetsOptions, deps: FuzzTargetsDeps): Promise<boolean> {
  const { out, isInterrupted } = deps
  const file = options.continue
  let totals = readFuzzTotals(file)
  const minutesOf = (name: string) => totals[name]?.minutes ?? 0
  let isGood = true
  for (const name of options.names.toSorted((one, other) => minutesOf(one) - minutesOf(other))) {
    if (isInterrupted()) break
    const seed = totals[name]?.nextSeed ?? options.seed
    const run = await deps.run(name, seed)
    totals = { ...totals, [name]: addRun(totals[name], run, seed) }
    if (file !== undefined) writeFuzzTotals(file, totals)
    isGood &&= run.failure === undefined
    out(options.json ? `${JSON.stringify({ target: name, seed, ...run })}\n` : runText(name, run))
  }
  out(options.json ? `${JSON.stringify({ totals })}\n` : `\n${totalsTable(totals)}`)
  return isGood
}

/** One line, and how to repeat a failure. */
export function runText(name: string, { executions, covered, inputs, failure }: TargetRun): string {
  const line = `${name}: ${executions} executions, ${covered} characters of code, ${inputs} inputs`
  if (failure === undefined) return `${line}\n`
  const again = failure.input === undefined ? '' : `Again: npm run fuzz -- ${name} --input ${failure.input}\n`
  return `${line}: FAILED\n${failure.error}\n${again}`
}
