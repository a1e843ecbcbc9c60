// Additional exports of the tracing build.
import * as Tracing from '../tracing.ts'

/**
 * Call after `beginTransaction`. `isTraced`: report frames and logs to the host; `hasSteps`: report instructions too.
 */
export function setTracing(isTraced: bool, hasSteps: bool): void {
  Tracing.setTracing(isTraced, hasSteps)
}
