import type { Height } from '../../logs/log-range.ts'
import { blockHeight } from '../block-reference.ts'
import { boolean } from '../boolean.ts'
import { duration } from '../duration.ts'
import { objectOf } from '../object.ts'

/** Transactions of a report: those of the recording, or of the blocks of a range if it is named. */
export interface ReportRange {
  readonly fromBlock?: Height
  readonly toBlock?: Height
  /** In milliseconds; the name is that of the JSON member. */
  readonly timeout?: number
  /** Whether a gas report has each amount of gas, and codes without a name. Default: false. */
  readonly includeDetails?: boolean
}

export const reportRange = objectOf<ReportRange>({
  fromBlock: blockHeight,
  toBlock: blockHeight,
  timeout: duration,
  includeDetails: boolean,
})

/** What a recording measures beside gas. */
export interface RecordingOptions {
  /** Whether instructions are counted. Default: true. */
  readonly coverage?: boolean
}

export const recordingOptions = objectOf<RecordingOptions>({ coverage: boolean })
