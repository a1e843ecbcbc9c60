import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { StateOverlay } from '../../state/overlay.ts'
import type { StateReader } from '../../state/state-reader.ts'
import {
  type BlockEnv,
  type Call,
  type Engine,
  type Executed,
  ExecutionStoppedError,
  type InvalidTransaction,
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

/**
 * Runs sequences of calls, each call on the state after all before it, and keeps nothing.
 *
 * @returns the results of each sequence; the last one ends with the first invalid call
 * @throws ExecutionStoppedError and errors of the reader
 */
export async function runCallSequences(
  engine: Engine,
  sequences: readonly CallSequence[],
  before: StateReader,
  options: SequenceOptions,
): Promise<readonly (readonly Result[])[]> {
  const results: (readonly Result[])[] = []
  let state = before
  for (const { env, calls } of sequences) {
    const run: Result[] = []
    state = await inSession(engine, { env, state, options }, async (session) => {
      for (const call of calls) {
        const result = await session.call(call, CALL_CHECKS)
        run.push(result)
        if (result.kind === 'invalid') return
        await assertTime(options.mayContinue)
      }
    })
    results.push(run)
    if (run.at(-1)?.kind === 'invalid') break
  }
  return results
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
  options: SequenceOptions,
): Promise<TransactionSequence> {
  const run: SequencedTransaction[] = []
  let failure: TransactionSequence | undefined
  await inSession(engine, { env, state, options }, async (session) => {
    const coinbaseBalance = () => session.state.account(env.coinbase)?.balance ?? 0n
    let remaining = env.gasLimit
    for (const [index, transaction] of transactions.entries()) {
      const balance = coinbaseBalance()
      const result = await session.execute(transaction, remaining)
      if (result.kind === 'invalid') {
        failure = { kind: 'invalid', index, error: result.error }
        return
      }
      remaining -= BigInt(result.gasUsed)
      run.push({ executed: result, coinbaseDifference: coinbaseBalance() - balance })
      await assertTime(options.mayContinue)
    }
  })
  return failure ?? { kind: 'executed', transactions: run }
}

interface SequencePosition {
  readonly env: BlockEnv
  readonly state: StateReader
  readonly options: SequenceOptions
}

/** @returns the state after what the session ran */
async function inSession(
  engine: Engine,
  { env, state, options: { mayContinue, movedPrecompiles } }: SequencePosition,
  run: (session: Session) => Promise<void>,
): Promise<StateReader> {
  const session = engine.open(env, state, {
    mayContinue,
    withoutLogs: true,
    ...(movedPrecompiles && { movedPrecompiles }),
  })
  try {
    await run(session)
    const after = new StateOverlay(state)
    after.apply(session.takeDiff())
    return after
  } finally {
    session.close()
  }
}

async function assertTime(mayContinue: MayContinue): Promise<void> {
  if (!(await mayContinue())) throw new ExecutionStoppedError('the calls took longer than they may')
}
