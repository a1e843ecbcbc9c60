import { seededRandom } from '../../support/seeded-random.ts'
import { Coverage } from './coverage.ts'
import { mutated } from './mutations.ts'

/** A decoder of untrusted bytes. */
export interface FuzzTarget {
  readonly description: string
  /** Throws when the decoder does: with another error than the documented one, or with a wrong result. */
  run(bytes: Uint8Array): void | Promise<void>
  /** Valid encodings, from which the fuzzer starts. */
  seeds(): readonly Uint8Array[]
}

export interface FuzzOptions {
  readonly seed: number
  readonly minutes?: number
  /** Executions; default: until the time is over. */
  readonly runs?: number
  /** URLs of the scripts whose coverage guides the fuzzer. Default: the sources of the package. */
  readonly covered?: RegExp
  /** Whether the run ends now. */
  readonly isInterrupted?: () => boolean
}

const SOURCES = /^(?!.*\/node_modules\/).*\/src\//

export interface FuzzReport {
  readonly executions: number
  /** Characters of code that ran. */
  readonly covered: number
  /** The seeds, the given inputs, and those that each ran code that no earlier one had run. */
  readonly corpus: readonly Uint8Array[]
  readonly failure?: { readonly bytes: Uint8Array; readonly error: unknown }
}

/** Executions between two looks at the coverage, which costs as much as a thousand of them. */
const BATCH = 512
/** Executions to find the smallest input that fails in the same way. */
const SHRINK_RUNS = 5_000

/**
 * Runs a decoder on changed copies of known inputs until one fails or the time is over. An input that reaches new code
 * becomes a known one. V8 reports blocks only of functions that it compiles after the start: run a decoder in a process
 * that has not used it before.
 *
 * @param given inputs beside the seeds
 */
export async function fuzz(
  target: FuzzTarget,
  given: readonly Uint8Array[],
  options: FuzzOptions,
  onProgress: (report: FuzzReport) => void = () => undefined,
): Promise<FuzzReport> {
  const { seed, minutes = Number.POSITIVE_INFINITY, runs = Number.POSITIVE_INFINITY, isInterrupted } = options
  using coverage = new Coverage(options.covered ?? SOURCES)
  const random = seededRandom(seed)
  const end = performance.now() + minutes * 60_000
  const corpus = [...target.seeds(), ...given]
  let executions = 0
  const report = (): FuzzReport => ({ executions, covered: coverage.size, corpus })
  let batch: readonly Uint8Array[] = [...corpus]
  do {
    const failure = await firstFailure(target, batch)
    executions += batch.length
    if (failure !== undefined) return { ...report(), failure: await smallest(target, failure, random) }
    if (coverage.hasNew()) {
      for (const bytes of batch) {
        await target.run(bytes)
        if (coverage.addNew() && !corpus.includes(bytes)) corpus.push(bytes)
      }
    }
    onProgress(report())
    const pick = () => corpus[Math.floor(random() * corpus.length)]!
    batch = Array.from({ length: BATCH }, () => mutated(pick(), pick(), random))
    // Signals arrive between two turns of the event loop.
    await new Promise(setImmediate)
  } while (executions < runs && performance.now() < end && isInterrupted?.() !== true)
  return report()
}

interface Failure {
  readonly bytes: Uint8Array
  readonly error: unknown
}

async function firstFailure(target: FuzzTarget, batch: readonly Uint8Array[]): Promise<Failure | undefined> {
  for (const bytes of batch) {
    try {
      const running = target.run(bytes)
      if (running !== undefined) await running
    } catch (error) {
      return { bytes, error }
    }
  }
  return undefined
}

/** Removes parts as long as the decoder fails. */
async function smallest(target: FuzzTarget, found: Failure, random: () => number): Promise<Failure> {
  let best = found
  for (let run = 0; run < SHRINK_RUNS && best.bytes.length > 0; run++) {
    const length = 1 + Math.floor(random() * Math.min(best.bytes.length, run < SHRINK_RUNS / 2 ? 64 : 4))
    const from = Math.floor(random() * (best.bytes.length - length + 1))
    const shorter = Buffer.concat([best.bytes.subarray(0, from), best.bytes.subarray(from + length)])
    best = (await firstFailure(target, [shorter])) ?? best
  }
  return best
}
