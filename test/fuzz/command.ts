import { inspect, parseArgs } from 'node:util'
import { FORKS, type Fork } from '../../src/chain/forks/forks.ts'
import { programText } from './fuzz-program.ts'
import { type FuzzFailure, type FuzzOptions, fuzz } from './fuzz-run.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2
const PROGRESS_EVERY = 1_000

const USAGE = `usage: npm run fuzz:evm -- [--runs N] [--seed S] [--fork F] [--from K]

Runs random programs in the engine of the node and in @ethereumjs/evm and compares status, gas, refund, output, logs and
what changed in the state. A program that parts them is made as small as it gets and printed.

  --runs N   programs (1000)
  --seed S   the same seed gives the same programs (1)
  --fork F   one of ${FORKS.join(', ')};
             by default all of them, Cancun, Prague and Osaka for half of the programs
  --from K   number of the first program (0): --from K --runs 1 repeats a single one
  --help     this text

Progress goes to standard error. Exit code 0: no difference; 1: some; 2: wrong options.
`

export interface CommandOutput {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/**
 * `npm run fuzz:evm`.
 *
 * @returns the exit code
 */
export async function fuzzCommand(args: readonly string[], { out, err }: CommandOutput): Promise<number> {
  const options = parse(args)
  if (options === 'help') {
    out(USAGE)
    return 0
  }
  if (typeof options === 'string') {
    err(`${options}\n\n${USAGE}`)
    return EXIT_USAGE
  }
  let shown = 0
  const { passed, failures } = await fuzz(options, (report) => {
    const run = report.passed + report.failures.length
    for (const failure of report.failures.slice(shown)) out(failureText(options, failure))
    shown = report.failures.length
    if (run % PROGRESS_EVERY === 0) err(`${run} run, ${shown} failed\n`)
  })
  out(`${passed} passed, ${failures.length} failed\n`)
  return failures.length === 0 ? 0 : EXIT_FAILED
}

function parse(args: readonly string[]): FuzzOptions | 'help' | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        runs: { type: 'string', default: '1000' },
        seed: { type: 'string', default: '1' },
        from: { type: 'string', default: '0' },
        fork: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return 'help'
    const [runs, seed, from] = [values.runs, values.seed, values.from].map(Number)
    if (!isCount(runs) || runs === 0) return `--runs is a number of programs, got ${values.runs}`
    if (!isCount(seed)) return `--seed is a whole number, got ${values.seed}`
    if (!isCount(from)) return `--from is the number of a program, got ${values.from}`
    if (values.fork === undefined) return { runs, seed, from }
    const fork = FORKS.find((candidate) => candidate.toLowerCase() === values.fork?.toLowerCase())
    return fork === undefined ? `--fork is one of ${FORKS.join(', ')}, got ${values.fork}` : { runs, seed, from, fork }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && value! >= 0
}

function failureText({ seed, fork }: FuzzOptions, { run, program, difference }: FuzzFailure): string {
  const { call, what, ours, oracle } = difference
  const again = `npm run fuzz:evm -- --seed ${seed} --from ${run} --runs 1${forkOption(fork)}`
  const values = `  ours:   ${text(ours)}\n  oracle: ${text(oracle)}\n`
  return `failed: program ${run}, call ${call}: ${what} differs\n${values}${programText(program)}again: ${again}\n\n`
}

function forkOption(fork: Fork | undefined): string {
  return fork === undefined ? '' : ` --fork ${fork}`
}

function text(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: 160, maxStringLength: 600 })
}
