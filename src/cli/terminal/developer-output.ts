import { type CallReport, type Colours, callText, type TransactionReport, transactionText } from './report-text.ts'

export interface DeveloperOutputOptions {
  readonly format: 'text' | 'json'
  readonly colours: Colours
  /** Reports per second; further ones are counted only. */
  readonly maxPerSecond: number
}

export interface DeveloperOutputDeps {
  readonly write: (text: string) => void
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
}

const SECOND = 1_000

/** Prints transactions and calls for developers, at a bounded rate. */
export class DeveloperOutput {
  readonly #options: DeveloperOutputOptions
  readonly #deps: DeveloperOutputDeps
  #since = Number.NEGATIVE_INFINITY
  #printed = 0
  #omitted = 0

  constructor(options: DeveloperOutputOptions, deps: DeveloperOutputDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Whether one more report is printed in this second; otherwise it is counted. Called once before each report. */
  admits(): boolean {
    const now = this.#deps.now()
    if (now - this.#since >= SECOND) {
      this.#printOmitted()
      this.#since = now
      this.#printed = 0
    }
    this.#printed += 1
    const isAdmitted = this.#printed <= this.#options.maxPerSecond
    if (!isAdmitted) this.#omitted += 1
    return isAdmitted
  }

  transaction(report: TransactionReport): void {
    this.#print({ type: 'transaction', ...report }, () => transactionText(report, this.#options.colours))
  }

  call(report: CallReport): void {
    this.#print({ type: 'call', ...report }, () => callText(report, this.#options.colours))
  }

  #printOmitted(): void {
    const omitted = this.#omitted
    this.#omitted = 0
    if (omitted > 0) this.#print({ type: 'omitted', count: omitted }, () => `... and ${omitted} more\n\n`)
  }

  #print(json: object, text: () => string): void {
    this.#deps.write(this.#options.format === 'json' ? `${JSON.stringify(json, decimal)}\n` : text())
  }
}

/** Wei and gas as decimal strings, which numbers of JSON cannot hold. */
function decimal(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
