import { type CallRequest, callMessage } from '../../engine/call/call-message.ts'
import { type EstimateGasOptions, estimateGas, type GasEstimate } from '../../engine/call/estimate-gas.ts'
import type { TraceOptions } from '../../engine/trace/create-tracer.ts'
import { TraceBudget, TraceTooLargeError } from '../../engine/trace/trace-budget.ts'
import { type CallPosition, traceCall } from '../../engine/trace/trace-call.ts'
import { type Call, ExecutionStoppedError, type Session } from '../../engine/types.ts'
import { CONSOLE_ADDRESS } from '../../primitives/abi/console-address.ts'
import type { ReadContext } from '../context/reading.ts'
import type { EntryFailure } from '../protocol/error-reason.ts'
import type { ReportedCall } from '../protocol/reported-call.ts'

/** Bytes of a trace that is shown. */
const MAX_TRACE_BYTES = 1 << 22

/** Whether the last message of a session called the console: console.sol is called cold, at its first use. */
export function usedConsole(session: Session): boolean {
  return session.coldAccesses().some(({ address }) => address === CONSOLE_ADDRESS)
}

/**
 * Runs a call once more, with a tracer, and reports it. Does nothing when the trace is too large or takes too long.
 *
 * @returns why it failed at the entry of a contract, if it did and artifacts show it
 */
export async function reportCall(
  context: ReadContext,
  method: ReportedCall['method'],
  call: Call,
  position: CallPosition,
): Promise<EntryFailure | undefined> {
  const { engine, onCall, entryFailureOf } = context
  const traced = await tracedFrames(context, (options) => traceCall(engine, call, position, options))
  if (traced?.kind !== 'traced' || traced.trace.name !== 'parityTracer') return undefined
  const { trace } = traced.trace
  onCall?.({ method, trace })
  return entryFailureOf?.(trace)
}

/** Traces the frames of an execution for developers; `undefined` when the trace is too large or takes too long. */
export async function tracedFrames<T>(
  { mayContinue }: Pick<ReadContext, 'mayContinue'>,
  trace: (options: TraceOptions) => Promise<T>,
): Promise<T | undefined> {
  const tracer = { name: 'parityTracer', options: { trace: true } } as const
  try {
    return await trace({ tracer, budget: new TraceBudget(MAX_TRACE_BYTES), mayContinue })
  } catch (error) {
    if (error instanceof TraceTooLargeError || error instanceof ExecutionStoppedError) return undefined
    throw error
  }
}

/** As `estimateGas` with the limits of the context, and reports an estimate that fails or uses `console.log`. */
export async function reportedEstimate(
  context: ReadContext,
  method: ReportedCall['method'],
  request: CallRequest,
  position: CallPosition,
  options: Pick<EstimateGasOptions, 'checks' | 'skipsBareTransfers' | 'exceedsIntrinsicGas' | 'errorRatio'>,
): Promise<GasEstimate & { readonly entry?: EntryFailure | undefined }> {
  const { engine, mayContinue, onCall, config } = context
  const { env, state, movedPrecompiles } = position
  const { callGasCap: gasCap, estimateInnerGas: innerGas } = context.options
  let isPrinted = false
  const onRun = (session: Session) => {
    isPrinted = usedConsole(session)
  }
  const estimate = await estimateGas(engine, env, state, request, {
    ...options,
    gasCap,
    innerGas,
    mayContinue,
    ...(movedPrecompiles && { movedPrecompiles }),
    ...(onCall && { onRun }),
  })
  if (onCall === undefined || !(isPrinted || estimate.kind === 'reverted' || estimate.kind === 'halted'))
    return estimate
  const message = callMessage(request, env, config.chainId, gasCap)
  if (message.kind !== 'message') return estimate
  return { ...estimate, entry: await reportCall(context, method, message.call, position) }
}
