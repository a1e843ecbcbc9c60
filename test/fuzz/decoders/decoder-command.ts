import { bytesToHex, hexToBytes } from '../../../src/primitives/hex.ts'
import { readCorpus, writeCorpus } from './corpus.ts'
import { type FuzzReport, type FuzzTarget, fuzz } from './fuzz-target.ts'
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
  readonly json: boolean
}

export interface FuzzCommandDeps {
  /** Root directory of the repository. */
  readonly root: string
  readonly out: (text: string) => void
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
  let isGood = true
  for (const [known, target] of chosen) isGood = (await fuzzOne(known, target, options, deps)) && isGood
  return isGood ? 0 : EXIT_FAILED
}

/** @returns whether the decoder passes */
async function fuzzOne(
  name: string,
  target: FuzzTarget,
  { minutes, seed, save, json }: FuzzCommandOptions,
  { root, out }: FuzzCommandDeps,
): Promise<boolean> {
  let shownAt = performance.now()
  const report = await fuzz(target, readCorpus(root, name), { seed, minutes }, (now) => {
    if (json || performance.now() - shownAt < PROGRESS_EVERY_MS) return
    shownAt = performance.now()
    out(`${line(name, now)} so far\n`)
  })
  const { executions, covered, corpus, failure } = report
  const found = failure && { input: bytesToHex(failure.bytes), error: stackOf(failure.error) }
  if (json) out(`${JSON.stringify({ target: name, executions, covered, inputs: corpus.length, failure: found })}\n`)
  else {
    out(`${line(name, report)}\n`)
    if (found !== undefined) {
      out(`${found.error}\nAgain: npm run fuzz -- ${name} --input ${found.input}\n`)
    }
  }
  if (save && failure === undefined) writeCorpus(root, name, corpus)
  return failure === undefined
}

function line(name: string, { executions, covered, corpus, failure }: FuzzReport): string {
  const outcome = failure === undefined ? '' : ': FAILED'
  return `${name}: ${executions} executions, ${covered} characters of code, ${corpus.length} inputs${outcome}`
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
