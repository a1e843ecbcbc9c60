import { bytesToHex, hexToBytes } from '../../../src/primitives/hex.ts'
import { readCorpus, writeCorpus } from './corpus.ts'
import { type FuzzReport, type FuzzTarget, fuzz } from './fuzz-target.ts'
import { fuzzTargets, runText } from './fuzz-targets.ts'
import type { TargetRun } from './fuzz-totals.ts'
import { fuzzInProcess } from './target-process.ts'
import { FUZZ_TARGETS } from './targets.ts'

/** Milliseconds between two lines of progress. */
const PROGRESS_EVERY_MS = 10_000
const EXIT_FAILED = 1
const EXIT_USAGE = 2

/** Values of `options.mjs`. */
export interface FuzzCommandOptions {
  readonly target: string
  readonly minutes: number
  readonly seed: number
  readonly input: string | undefined
  readonly save: boolean
  readonly continue: string | undefined
  readonly json: boolean
}

export interface FuzzCommandDeps {
  /** Root directory of the repository. */
  readonly root: string
  readonly out: (text: string) => void
  /** Whether the user has interrupted the program. */
  readonly isInterrupted: () => boolean
}

/** `npm run fuzz`. @returns the exit code of the program */
export async function fuzzCommand(options: FuzzCommandOptions, deps: FuzzCommandDeps): Promise<number> {
  const { target: name, input } = options
  const { out } = deps
  if (name === 'list') {
    for (const [known, { description }] of FUZZ_TARGETS) out(`${known.padEnd(16)}  ${description}\n`)
    return 0
  }
  const chosen = [...FUZZ_TARGETS].filter(([known]) => name === 'all' || known === name)
  if (chosen.length === 0 || (input !== undefined && (chosen.length > 1 || !/^0x([\da-f]{2})*$/i.test(input)))) {
    out(
      chosen.length === 0
        ? `there is no decoder ${name}: see npm run fuzz -- list\n`
        : '--input is the hexadecimal input of one decoder, as in rlp --input 0xc0\n',
    )
    return EXIT_USAGE
  }
  if (input !== undefined) {
    // A failure ends the program with its stack.
    await chosen[0]![1].run(hexToBytes(input))
    out('the decoder passes\n')
    return 0
  }
  if (name !== 'all' && options.continue === undefined) {
    return (await fuzzOne(name, chosen[0]![1], options, deps)) ? 0 : EXIT_FAILED
  }
  const names = chosen.map(([known]) => known)
  const { minutes, save } = options
  const run = (known: string, seed: number) => fuzzInProcess({ root: deps.root, name: known, minutes, seed, save })
  const isGood = await fuzzTargets({ ...options, names }, { ...deps, run })
  return isGood ? 0 : EXIT_FAILED
}

/** @returns whether the decoder passes */
async function fuzzOne(
  name: string,
  target: FuzzTarget,
  { minutes, seed, save, json }: FuzzCommandOptions,
  { root, out, isInterrupted }: FuzzCommandDeps,
): Promise<boolean> {
  const begun = performance.now()
  let shownAt = begun
  const runOf = (given: FuzzReport) => targetRun(given, (performance.now() - begun) / 60_000)
  const report = await fuzz(target, readCorpus(root, name), { seed, minutes, isInterrupted }, (now) => {
    if (json || performance.now() - shownAt < PROGRESS_EVERY_MS) return
    shownAt = performance.now()
    out(runText(name, runOf(now)))
  })
  const { corpus, failure } = report
  out(json ? `${JSON.stringify({ target: name, ...runOf(report) })}\n` : runText(name, runOf(report)))
  if (save && failure === undefined) writeCorpus(root, name, corpus)
  return failure === undefined
}

function targetRun({ executions, covered, corpus, failure }: FuzzReport, minutes: number): TargetRun {
  const run = { minutes, executions, covered, inputs: corpus.length }
  if (failure === undefined) return run
  return { ...run, failure: { input: bytesToHex(failure.bytes), error: stackOf(failure.error) } }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
