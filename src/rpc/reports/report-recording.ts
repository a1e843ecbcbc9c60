import type { CoverageReport } from './coverage-report.ts'
import type { GasReport } from './gas-report.ts'

/** Reports on the same transactions. */
export interface Reports {
  readonly gas?: GasReport
  readonly coverage?: CoverageReport
  /** Transactions in them. */
  transactions: number
}

/** A transaction by its position in the chain. */
export interface ReportPosition {
  readonly number: number
  readonly index: number
}

/**
 * Reports that survive reverts. The node replays transactions when a report is read, and before a revert removes them;
 * block building does no extra work.
 */
export interface ReportRecording {
  readonly reports: Reports
  readonly start: ReportPosition
  /** The first transaction that is not in the reports. */
  next: ReportPosition
  /** Why transactions are missing; `undefined`: none are. */
  incomplete: string | undefined
}

const RECORDERS = new WeakMap<object, ReportRecorder>()

/** The recorder of a node, which all that serve it share. */
export function recorderOf(node: object): ReportRecorder {
  const known = RECORDERS.get(node) ?? new ReportRecorder()
  RECORDERS.set(node, known)
  return known
}

/** The recording of a node, if one was started. */
export class ReportRecorder {
  recording: ReportRecording | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** Serializes operations that read or change the recording. */
  runExclusive<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#last.then(run)
    this.#last = result.catch(() => undefined)
    return result
  }
}
