import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { layerReader } from '../../state/layered-reader.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import {
  type BlockEnv,
  type Call,
  type Engine,
  type Executed,
  ExecutionStoppedError,
  type MayContinue,
  type Result,
  type Session,
  type SessionOptions,
} from '../types.ts'
import { CALL_CHECKS } from './call-message.ts'

/** Calls in the environment of one block. */
export interface CallSequence {
  readonly env: BlockEnv
  readonly calls: readonly Call[]
}

export interface SequenceOptions extends Pick<SessionOptions, 'movedPrecompiles'> {
  readonly mayContinue: MayContinue
}

export interface CallSequenceOptions extends SequenceOptions {
  /**
   * Called with the result of each call and the index of its sequence; an invalid call changes nothing. An error that
   * it throws ends the run.
   */
  readonly onResult: (result: Result, sequence: number) => void
}

export interface TransactionSequenceOptions extends SequenceOptions {
  /** Called with each executed transaction. An error that it throws ends the run. */
  readonly onExecuted?: (executed: Executed) => void
}

/**
 * Runs sequences of calls, each call on the state after all before it, and keeps nothing.
 *
 * @throws ExecutionStoppedError and errors of the reader
 */
export async function runCallSequences(
  engine: Engine,
  sequences: readonly CallSequence[],
  before: StateReader,
  options: CallSequenceOptions,
): Promise<void> {
  const layers: { readonly diff: StateDiff }[] = []
  for (const [index, { env, calls }] of sequences.entries()) {
    // Empty sequences take time too.
    await assertTime(options.mayContinue)
    if (calls.length === 0) continue
    const state = layers.length === 0 ? before : layerReader(before, [...layers], new Map())
    const diff = await inSession(engine, { env, state, options }, async (session) => {
      for (const call of calls) {
        options.onResult(await session.call(call, CALL_CHECKS), index)
        await assertTime(options.mayContinue)
      }
      return session.takeDiff()
    })
    if (diff.accounts.size > 0) layers.push({ diff })
  }
}

/** A transaction of a sequence, with what the coinbase received. */
export interface SequencedTransaction {
  readonly executed: Executed
  /** Wei by which the balance of the coinbase changed. */
  readonly coinbaseDifference: bigint
}

export type TransactionSequence =
  | { readonly kind: 'executed'; readonly transactions: readonly SequencedTransaction[] }
  | { readonly kind: 'invalid'; readonly index: number; readonly error: InvalidTransaction }

/**
 * Executes transactions with all checks in the environment of a block, and keeps nothing.
 *
 * @throws ExecutionStoppedError and errors of the reader
 */
export async function runTransactionSequence(
  engine: Engine,
  transactions: readonly RecoveredTransaction[],
  { env, state }: { readonly env: BlockEnv; readonly state: StateReader },
  options: TransactionSequenceOptions,
): Promise<TransactionSequence> {
  return inSession(engine, { env, state, options }, async (session) => {
    const run: SequencedTransaction[] = []
    const coinbaseBalance = () => session.state.account(env.coinbase)?.balance ?? 0n
    let remaining = env.gasLimit
    for (const [index, transaction] of transactions.entries()) {
      const balance = coinbaseBalance()
      const result = await session.execute(transaction, remaining)
      if (result.kind === 'invalid') return { kind: 'invalid', index, error: result.error }
      remaining -= BigInt(result.gasUsed)
      run.push({ executed: result, coinbaseDifference: coinbaseBalance() - balance })
      options.onExecuted?.(result)
      await assertTime(options.mayContinue)
    }
    return { kind: 'executed', transactions: run }
  })
}

interface SequencePosition {
  readonly env: BlockEnv
  readonly state: StateReader
  readonly options: SequenceOptions
}

async function inSession<T>(
  engine: Engine,
  { env, state, options: { mayContinue, movedPrecompiles } }: SequencePosition,
  run: (session: Session) => Promise<T>,
): Promise<T> {
  const session = engine.open(env, state, {
    mayContinue,
    withoutLogs: true,
    ...(movedPrecompiles && { movedPrecompiles }),
  })
  try {
    return await run(session)
  } finally {
    session.close()
  }
}

/** Yields if another request is due. @throws ExecutionStoppedError when the time is up */
export async function assertTime(mayContinue: MayContinue): Promise<void> {
  if (!(await mayContinue())) throw new ExecutionStoppedError('the calls took longer than they may')
}
