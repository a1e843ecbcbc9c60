import type { Block } from '../../chain/block/block.ts'
import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import { invalidTransactionMessage } from '../../chain/transaction/refusal-text.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'
import { StateOverlay } from '../../state/overlay.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { blockEnv } from '../block/block-env.ts'
import { makeOpeningCalls } from '../block/opening-calls.ts'
import type { Tracer } from '../tracer.ts'
import { type Engine, type Executed, ExecutionStoppedError, type MayContinue, type Session } from '../types.ts'
import {
  createTracer,
  type MessageTracer,
  rehearse,
  type Trace,
  type TraceOptions,
  tracerDeps,
  waiting,
} from './create-tracer.ts'

/** Input of a replay: a block and the state after its parent. */
export interface Replay {
  readonly block: Pick<Block, 'header' | 'hash' | 'transactions'>
  readonly parentState: StateReader
}

export interface TracedTransaction {
  readonly hash: Hash
  readonly trace: Trace
}

/** A transaction is invalid in the replayed block. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError'
  readonly code = 'INVALID_TRANSACTION'
  readonly error: InvalidTransaction

  constructor(index: number, hash: Hash, error: InvalidTransaction) {
    super(`transaction ${index} (${hash}) may not be in the block: ${invalidTransactionMessage(error)}`)
    this.error = error
  }
}

/**
 * Replays a block and traces its transactions; system calls are not traced, as in go-ethereum.
 *
 * @param selection index of the single transaction to trace, later ones are not executed; or `from` which one on
 * @throws ReplayError, TraceTooLargeError, ExecutionStoppedError and errors of the reader
 * @example await traceBlock(engine, { block, parentState }, { tracer: { name: 'noopTracer' }, budget: new TraceBudget(1
 *   << 20) })
 */
export async function traceBlock(
  engine: Engine,
  { block, parentState }: Replay,
  options: TraceOptions,
  selection: number | { readonly from: number } = { from: 0 },
): Promise<readonly TracedTransaction[]> {
  const env = blockEnv(block.header, engine.config)
  let current: Tracer | undefined
  const session = engine.open(env, parentState, { ...waiting(options.mayContinue), tracer: () => current })
  const before = new StateOverlay(parentState)
  const traces: TracedTransaction[] = []
  // A JavaScript tracer has a heap of its own: only one exists at a time.
  let used: MessageTracer | undefined
  try {
    const deps = await tracerDeps(engine, session, options, [options.tracer])
    await makeOpeningCalls(session, block.header, engine.config)
    const only = typeof selection === 'number' ? selection : undefined
    const first = typeof selection === 'number' ? selection : selection.from
    const transactions = only === undefined ? block.transactions : block.transactions.slice(0, only + 1)
    const run = executeEach(session, transactions, options.mayContinue)
    let logsBefore = 0
    for (const [index, transaction] of transactions.entries()) {
      const position = { blockHash: block.hash, blockNumber: block.header.number, hash: transaction.hash, index }
      const tracer = index >= first ? createTracer(options.tracer, { ...deps, position, logsBefore }) : undefined
      before.apply(session.takeDiff())
      if (tracer !== undefined) {
        used?.dispose?.()
        used = tracer
        await rehearse(session, tracer, (hooks) => {
          current = hooks
          return session.execute(transaction, session.env.gasLimit)
        })
      }
      current = tracer?.hooks
      const executed = (await run.next()).value
      logsBefore += executed?.logs.length ?? 0
      if (tracer === undefined || executed === undefined) continue
      const change = { before, diff: session.takeDiff() }
      traces.push({ hash: transaction.hash, trace: tracer.trace(executed, change, transaction) })
      before.apply(change.diff)
    }
  } finally {
    used?.dispose?.()
    session.close()
  }
  return traces
}

/**
 * The state in a block before transaction `index`.
 *
 * @throws ReplayError, ExecutionStoppedError and errors of the reader
 */
export async function stateWithin(
  engine: Engine,
  replay: Replay,
  index: number,
  mayContinue?: MayContinue,
): Promise<StateReader> {
  const state = new StateOverlay(replay.parentState)
  state.apply(await diffWithin(engine, replay, index, mayContinue))
  return state
}

/**
 * The diff of the transactions of a block before `index`, and of its opening calls.
 *
 * @throws ReplayError, ExecutionStoppedError and errors of the reader
 */
export async function diffWithin(
  engine: Engine,
  { block, parentState }: Replay,
  index: number,
  mayContinue?: MayContinue,
): Promise<StateDiff> {
  const session = engine.open(blockEnv(block.header, engine.config), parentState, waiting(mayContinue))
  try {
    await makeOpeningCalls(session, block.header, engine.config)
    const run = executeEach(session, block.transactions.slice(0, index), mayContinue)
    while (!(await run.next()).done);
    return session.takeDiff()
  } finally {
    session.close()
  }
}

/** Executes one transaction per iteration. */
async function* executeEach(
  session: Session,
  transactions: readonly RecoveredTransaction[],
  mayContinue: MayContinue | undefined,
): AsyncGenerator<Executed, undefined> {
  let remaining = session.env.gasLimit
  for (const [index, transaction] of transactions.entries()) {
    if (mayContinue !== undefined && !(await mayContinue())) {
      throw new ExecutionStoppedError('the block took longer than it may: allow more time or trace one transaction')
    }
    const result = await session.execute(transaction, remaining)
    if (result.kind === 'invalid') throw new ReplayError(index, transaction.hash, result.error)
    remaining -= BigInt(result.gasUsed)
    yield result
  }
  return undefined
}
