import { CONSOLE_ADDRESS } from '../../engine/console/console-log.ts'
import { TraceBudget, TraceTooLargeError } from '../../engine/trace/trace-budget.ts'
import { type CallPosition, traceCall } from '../../engine/trace/trace-call.ts'
import { type Call, ExecutionStoppedError, type Session } from '../../engine/types.ts'
import type { ReadContext } from '../context.ts'
import type { ReportedCall } from '../reported-call.ts'

/** Bytes of a trace that is shown. */
const MAX_TRACE_BYTES = 1 << 22

/** Whether the last message of a session called the console: console.sol is called cold, at its first use. */
export function usedConsole(session: Session): boolean {
  return session.coldAccesses().some(({ address }) => address === CONSOLE_ADDRESS)
}

/** Runs a call once more, with a tracer, and reports it. Does nothing when the trace is too large or takes too long. */
export async function reportCall(
  { engine, onCall, mayContinue }: ReadContext,
  method: ReportedCall['method'],
  call: Call,
  position: CallPosition,
): Promise<void> {
  const budget = new TraceBudget(MAX_TRACE_BYTES)
  const tracer = { name: 'parityTracer', options: { trace: true } } as const
  try {
    const traced = await traceCall(engine, call, position, { tracer, budget, mayContinue })
    if (traced.kind !== 'traced' || traced.trace.name !== 'parityTracer') return
    onCall?.({ method, trace: traced.trace.trace })
  } catch (error) {
    if (error instanceof TraceTooLargeError || error instanceof ExecutionStoppedError) return
    throw error
  }
}
