import { parseArgs } from 'node:util'
import { fuzzHttp, type HttpFuzzOptions, type HttpFuzzReport, httpFailureText } from './fuzz-http.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2
const PROGRESS_EVERY = 100_000

const USAGE = `usage: npm run fuzz:http -- [--minutes N | --runs N] [--seed S] [--from K]

Compares the HTTP parser of the node with llhttp, the parser of Node's HTTP server, on random requests. A difference is a
request that only one of them accepts, or that they read differently. Prints the executions and the differences with
their reasons (test/fuzz/http/listed-differences.ts).

  --minutes N  time (1)
  --runs N     number of cases instead of a time
  --seed S     the same seed gives the same cases (1)
  --from K     number of the first case (0): --from K --runs 1 repeats a single one
  --help       this text

Exit code 0: every difference is listed; 1: some are not; 2: wrong options.
`

/**
 * `npm run fuzz:http`.
 *
 * @returns the exit code
 */
export function httpFuzzCommand(args: readonly string[], out: (text: string) => void): number {
  const options = parse(args)
  if (typeof options === 'string') {
    out(options)
    return options === USAGE ? 0 : EXIT_USAGE
  }
  const { executions, listed, failures } = fuzzHttp(options, (report) => {
    if (report.executions % PROGRESS_EVERY === 0 && report.executions > 0) out(progressText(report))
  })
  for (const failure of failures) out(httpFailureText(options, failure))
  const rows = [...listed].sort(([, a], [, b]) => b - a)
  for (const [reason, count] of rows) out(`${String(count).padStart(9)}  ${reason}\n`)
  out(`${executions} executions, ${failures.length} differences without a reason\n`)
  return failures.length === 0 ? 0 : EXIT_FAILED
}

function progressText({ executions, failures }: HttpFuzzReport): string {
  return `${executions} executions, ${failures.length} differences without a reason so far\n`
}

function parse(args: readonly string[]): HttpFuzzOptions | string {
  try {
    const number = { type: 'string' } as const
    const { values } = parseArgs({
      args: [...args],
      options: { minutes: number, runs: number, seed: number, from: number, help: { type: 'boolean', short: 'h' } },
    })
    if (values.help === true) return USAGE
    const { runs, minutes = runs === undefined ? '1' : undefined, seed = '1', from = '0' } = values
    for (const [name, value] of Object.entries({ runs, minutes, seed, from })) {
      if (value !== undefined && !/^\d+$/.test(value)) return `--${name} is a whole number, got ${value}\n\n${USAGE}`
    }
    return {
      seed: Number(seed),
      from: Number(from),
      ...(runs !== undefined && { runs: Number(runs) }),
      ...(minutes !== undefined && { minutes: Number(minutes) }),
    }
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`
  }
}
