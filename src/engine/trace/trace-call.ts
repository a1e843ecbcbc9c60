import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { DiffMerger } from '../../state/diff.ts'
import { layerReader } from '../../state/layered-reader.ts'
import { StateOverlay } from '../../state/overlay.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { CALL_CHECKS } from '../call/call-message.ts'
import type { Tracer } from '../tracer.ts'
import { type BlockEnv, type Call, type Engine, ExecutionStoppedError, type SessionOptions } from '../types.ts'
import {
  createTracer,
  type MessageTracer,
  rehearse,
  type Trace,
  type TraceOptions,
  type TracerChoice,
  tracerDeps,
  waiting,
} from './create-tracer.ts'

export type CallTrace =
  | { readonly kind: 'traced'; readonly trace: Trace }
  | { readonly kind: 'invalid'; readonly error: InvalidTransaction }

/** Context of a call. */
export interface CallPosition extends Pick<SessionOptions, 'movedPrecompiles'> {
  readonly env: BlockEnv
  readonly state: StateReader
}

/** A message to trace: a call, or a transaction with all of its checks. */
export type TracedMessage = { readonly tracer: TracerChoice } & (
  | { readonly call: Call }
  | { readonly transaction: RecoveredTransaction }
)

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
  const [traced] = await traceMessages(engine, [{ call, tracer: options.tracer }], position, options)
  return traced!
}

/** Messages in the environment of one block. */
export interface MessageSequence {
  readonly env: BlockEnv
  readonly messages: readonly TracedMessage[]
}

/**
 * Runs and traces sequences of messages, each message on the state after all before it, and keeps nothing.
 *
 * @returns the traces of each sequence; the first invalid message is the last one
 * @throws TraceTooLargeError, ExecutionStoppedError and errors of the reader
 */
export async function traceSequences(
  engine: Engine,
  sequences: readonly MessageSequence[],
  { state, movedPrecompiles }: Omit<CallPosition, 'env'>,
  options: Omit<TraceOptions, 'tracer'>,
): Promise<readonly (readonly CallTrace[])[]> {
  const layers: { readonly diff: StateDiff }[] = []
  const traces: (readonly CallTrace[])[] = []
  for (const { env, messages } of sequences) {
    await assertTime(options)
    const before = layers.length === 0 ? state : layerReader(state, [...layers], new Map())
    const changes = new DiffMerger()
    const position = { env, state: before, ...(movedPrecompiles && { movedPrecompiles }) }
    const traced =
      messages.length === 0 ? [] : await traceMessages(engine, messages, position, options, (diff) => changes.add(diff))
    traces.push(traced)
    if (traced.at(-1)?.kind === 'invalid') break
    layers.push({ diff: changes.merged() })
  }
  return traces
}

async function assertTime({ mayContinue }: Omit<TraceOptions, 'tracer'>): Promise<void> {
  if (mayContinue === undefined || (await mayContinue())) return
  throw new ExecutionStoppedError('the calls took longer than they may: trace fewer at once')
}

/**
 * Runs and traces messages, each on the state after those before it, then reverts them.
 *
 * @param onDiff called with what each message changed
 * @returns a trace for each message up to the first invalid one
 * @throws TraceTooLargeError, ExecutionStoppedError and errors of the reader
 */
export async function traceMessages(
  engine: Engine,
  messages: readonly TracedMessage[],
  { env, state, movedPrecompiles }: CallPosition,
  options: Omit<TraceOptions, 'tracer'>,
  onDiff: (diff: StateDiff) => void = () => {},
): Promise<readonly CallTrace[]> {
  let current: Tracer | undefined
  const session = engine.open(env, state, {
    ...waiting(options.mayContinue),
    ...(movedPrecompiles && { movedPrecompiles }),
    tracer: () => current,
  })
  const before = new StateOverlay(state)
  const traces: CallTrace[] = []
  // A JavaScript tracer has a heap of its own: only one exists at a time.
  let tracer: MessageTracer | undefined
  try {
    const deps = await tracerDeps(
      engine,
      session,
      options,
      messages.map(({ tracer }) => tracer),
    )
    for (const message of messages) {
      if (traces.length > 0) await assertTime(options)
      tracer?.dispose?.()
      tracer = createTracer(message.tracer, deps)
      const run = (hooks: Tracer) => {
        current = hooks
        return 'call' in message
          ? session.call(message.call, CALL_CHECKS)
          : session.execute(message.transaction, env.gasLimit)
      }
      await rehearse(session, tracer, run)
      const result = await run(tracer.hooks)
      if (result.kind === 'invalid') {
        traces.push(result)
        break
      }
      const diff = session.takeDiff()
      const request = 'call' in message ? message.call : message.transaction
      traces.push({ kind: 'traced', trace: tracer.trace(result, { before, diff }, request) })
      before.apply(diff)
      onDiff(diff)
    }
  } finally {
    tracer?.dispose?.()
    session.close()
  }
  return traces
}
