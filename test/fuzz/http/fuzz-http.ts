import { type ParserDifference, parserDifference, reasonOf } from './compare-parsers.ts'
import { randomRequests } from './random-requests.ts'

/** Cases between two looks at the clock. */
const CASES_PER_LOOK = 500

export interface HttpFuzzOptions {
  readonly seed: number
  /** Number of the first case. */
  readonly from?: number
  /** Cases; default: until the time is over. */
  readonly runs?: number
  readonly minutes?: number
}

export interface HttpFuzzFailure {
  readonly run: number
  /** The smallest bytes with a difference that is not listed. */
  readonly bytes: Buffer
  readonly difference: ParserDifference
}

export interface HttpFuzzReport {
  readonly executions: number
  /** Listed differences by reason. */
  readonly listed: ReadonlyMap<string, number>
  readonly failures: readonly HttpFuzzFailure[]
}

/** Compares the HTTP parser with llhttp on random requests. */
export function fuzzHttp(
  { seed, from = 0, runs = Number.POSITIVE_INFINITY, minutes = Number.POSITIVE_INFINITY }: HttpFuzzOptions,
  onProgress: (report: HttpFuzzReport) => void = () => undefined,
): HttpFuzzReport {
  const listed = new Map<string, number>()
  const failures: HttpFuzzFailure[] = []
  const end = performance.now() + minutes * 60_000
  let executions = 0
  for (; executions < runs; executions++) {
    if (executions % CASES_PER_LOOK === 0) {
      onProgress({ executions, listed, failures })
      if (performance.now() >= end) break
    }
    const run = from + executions
    const caseSeed = Math.imul(seed, 1_000_003) + run
    const bytes = randomRequests(caseSeed)
    const difference = parserDifference(bytes, caseSeed)
    if (difference === undefined) continue
    const reason = reasonOf(difference, bytes)
    if (reason !== undefined) listed.set(reason, (listed.get(reason) ?? 0) + 1)
    else failures.push(smallest(run, bytes, caseSeed))
  }
  return { executions, listed, failures }
}

/** Removes bytes as long as a difference remains that is not listed. */
function smallest(run: number, found: Buffer, seed: number): HttpFuzzFailure {
  const unlisted = (bytes: Buffer) => {
    const difference = parserDifference(bytes, seed)
    return difference === undefined || reasonOf(difference, bytes) !== undefined ? undefined : difference
  }
  let bytes = found
  for (let size = bytes.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at + size <= bytes.length; ) {
      const smaller = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)])
      if (unlisted(smaller) === undefined) at += size
      else bytes = smaller
    }
  }
  return { run, bytes, difference: unlisted(bytes)! }
}

/** What a failure is, and how to repeat it. */
export function httpFailureText({ seed }: Pick<HttpFuzzOptions, 'seed'>, failure: HttpFuzzFailure): string {
  const { run, bytes, difference } = failure
  const { kind, own, llhttp } = difference
  const parsed = ({ events, refusal, hasEnded }: ParserDifference['own']) =>
    JSON.stringify({ events, refusal, hasEnded }, (_, value) => (value instanceof Map ? [...value] : value))
  return [
    `case ${run}, ${kind}: ${JSON.stringify(bytes.toString('latin1'))}`,
    `  ours:   ${parsed(own)}`,
    `  llhttp: ${parsed(llhttp)}`,
    `again: npm run fuzz:http -- --seed ${seed} --from ${run} --runs 1`,
    '',
  ].join('\n')
}
