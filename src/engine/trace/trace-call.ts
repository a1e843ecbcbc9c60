import type { StateReader } from '../../state/state-reader.ts'
import { CALL_CHECKS } from '../call/call-message.ts'
import type { BlockEnv, Call, Engine, InvalidTransaction, SessionOptions } from '../types.ts'
import { createTracer, type Trace, type TraceOptions, tracerDeps, waiting } from './create-tracer.ts'

export type CallTrace =
  | { readonly kind: 'traced'; readonly trace: Trace }
  | { readonly kind: 'invalid'; readonly error: InvalidTransaction }

/** Context of a call. */
export interface CallPosition extends Pick<SessionOptions, 'movedPrecompiles'> {
  readonly env: BlockEnv
  readonly state: StateReader
}

/**
 * Runs and traces a call, then reverts it.
 *
 * @throws TraceTooLargeError, ExecutionStoppedError and errors of the reader
 */
export async function traceCall(
  engine: Engine,
  call: Call,
  position: CallPosition,
  options: TraceOptions,
): Promise<CallTrace> {
  const { env, state, movedPrecompiles } = position
  const tracer = createTracer(options.tracer, tracerDeps(engine, env, options))
  const session = engine.open(env, state, {
    ...waiting(options.mayContinue),
    ...(movedPrecompiles && { movedPrecompiles }),
    tracer: () => tracer.hooks,
  })
  try {
    const result = await session.call(call, CALL_CHECKS)
    if (result.kind === 'invalid') return result
    return { kind: 'traced', trace: tracer.trace(result, { before: state, diff: session.takeDiff() }, call) }
  } finally {
    session.close()
  }
}
