// What the tracing build exports besides `evm.ts`.
import * as Tracing from './tracing.ts'

/** After `beginTransaction`: whether the message is told to the host, and whether its instructions are. */
export function setTracing(isTraced: bool, hasSteps: bool): void {
  Tracing.setTracing(isTraced, hasSteps)
}
