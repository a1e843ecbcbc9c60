import type { PoolTransaction, RecoveredTransaction } from '../../../chain/transaction/transaction.ts'
import type { BlockBuilder } from '../../../engine/block/build-block.ts'
import { ForkError } from '../../../fork/source/fork-error.ts'
import { Candidates, type PoolOrder } from '../../../pool/candidates.ts'
import { type SenderQueue, senderQueue } from '../../../pool/sender-queue.ts'
import type { MaybePromise } from '../../../primitives/maybe-promise.ts'
import { whenLoaded } from '../../../state/missing-state.ts'
import type { StateReader } from '../../../state/state-reader.ts'
import { senderState, type View } from '../../view/view.ts'
import type { YieldWhenDue } from './budget.ts'
import { type RefusedTransaction, ValidityChecks } from './candidate-outcome.ts'

export interface PoolFilling {
  /** Its pool is the source. */
  readonly view: View
  /** State after the parent of the block. */
  readonly state: StateReader
  readonly order?: PoolOrder | undefined
  /** Awaited between transactions; `false`: no further one is added. */
  readonly mayContinue: () => MaybePromise<boolean>
}

/**
 * Adds the best executable transactions of a view's pool to a block. Skips those that cannot be included, and later
 * ones of the same sender. Neither the pool nor the view changes.
 *
 * @returns the included transactions, with blob sidecars
 */
export async function fillFromPool(builder: BlockBuilder, filling: PoolFilling): Promise<readonly PoolTransaction[]> {
  const { attributes } = builder
  const queues = await whenLoaded(() => [...queuesAfter(filling)])
  const candidates = new Candidates(queues, attributes.baseFeePerGas, { order: filling.order })
  const checks = new ValidityChecks(Number.POSITIVE_INFINITY)
  const included: PoolTransaction[] = []
  for (let next = candidates.peek(); next !== undefined; next = candidates.peek()) {
    if (!(await filling.mayContinue())) break
    const free = roomOf(builder)
    const hasRoom = next.gasLimit <= free
    const isPossible = hasRoom && (await whenLoaded(() => checks.failure(next, builder))) === undefined
    const outcome = !isPossible ? undefined : await whenLoaded(() => builder.add(next, free))
    if (outcome?.kind === 'included') {
      included.push(next)
      candidates.accept()
    } else candidates.skipSender()
  }
  return included
}

/** Gas left in a block. */
export function roomOf({ attributes, gasUsed }: BlockBuilder): bigint {
  return attributes.gasLimit - BigInt(gasUsed)
}

/** The pool revalidated against the state after the parent. */
function* queuesAfter({ state, view: { pool } }: PoolFilling): Iterable<SenderQueue> {
  for (const sender of pool.senders()) {
    const account = senderState(state, sender)
    const entries = pool.bySender(sender).filter(({ transaction }) => transaction.nonce >= account.nonce)
    yield senderQueue(account, entries)
  }
}

/**
 * Adds transactions to a block, each when its state is loaded.
 *
 * @param yieldWhenDue awaited before each. Default: other work waits
 * @returns the first one that the block cannot include
 */
export async function addExactly(
  builder: BlockBuilder,
  transactions: readonly RecoveredTransaction[],
  yieldWhenDue?: YieldWhenDue,
): Promise<RefusedTransaction | undefined> {
  for (const [index, transaction] of transactions.entries()) {
    await yieldWhenDue?.()
    const error = await exactRefusal(builder, transaction)
    if (error !== undefined) return { index, hash: transaction.hash, error }
  }
  return undefined
}

async function exactRefusal(builder: BlockBuilder, transaction: RecoveredTransaction) {
  try {
    const inclusion = await whenLoaded(() => builder.add(transaction, roomOf(builder)))
    return inclusion.kind === 'invalid' ? inclusion.error : undefined
  } catch (error) {
    if (error instanceof ForkError) return error
    throw error
  }
}
