import type { FindInterface } from '../reports/contract-interface.ts'
import type { ReportRecorder } from '../reports/report-recording.ts'
import type { FilterContext } from './filtering.ts'
import type { SendContext } from './sending.ts'

/** Context of a method that writes. */
export interface WriteContext extends SendContext, FilterContext {
  readonly recorder: ReportRecorder
  /** Names contracts in reports. */
  readonly interfaceOf: FindInterface
  renewed(): WriteContext
}
