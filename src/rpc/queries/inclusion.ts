import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Clock } from '../../node/core/clock.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import type { NodeEvents } from '../../node/view/events.ts'
import type { TransactionView, View } from '../../node/view/view.ts'
import type { MemoizedBlocks } from '../memoized/memoized-blocks.ts'
import type { EncodedJson } from '../protocol/encoded-json.ts'

type Included = Extract<TransactionView, { kind: 'included' }>

/** Outcome of a sent transaction. */
export type InclusionResult =
  | { readonly kind: 'included'; readonly found: Included }
  /** A nonce gap: `expected` is the next nonce of the sender. */
  | { readonly kind: 'queued'; readonly expected: bigint }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'timeout' }

interface Deps {
  readonly node: Pick<ServedNode, 'view' | 'events'>
  readonly clock: Clock
}

/**
 * Waits until a pooled transaction is included. Checks the current view and subscribes in the same synchronous step, so
 * that no event is missed.
 *
 * @param timeoutMs milliseconds
 */
export function awaitInclusion(transaction: PoolTransaction, timeoutMs: number, deps: Deps): Promise<InclusionResult> {
  const { node, clock } = deps
  const state = presentState(transaction, node.view())
  if (state !== undefined) return Promise.resolve(state)
  return new Promise((resolve) => {
    let hasSkipped = false
    const onUnwound = ({ isComplete }: NodeEvents['unwound'][0]) => {
      hasSkipped ||= !isComplete
    }
    const onFlashblock = ({ view, layer }: NodeEvents['flashblock'][0]) => {
      if (hasSkipped) return onSkipped(view)
      if (!layer.positions.has(transaction.hash)) return
      const found = view.transaction(transaction.hash)
      if (found?.kind === 'included') finish({ kind: 'included', found })
    }
    // A replica that continued from a snapshot does not know what became of a transaction in a skipped block.
    const onSkipped = (view: View) => {
      hasSkipped = false
      const state = presentState(transaction, view)
      if (state !== undefined) finish(state.kind === 'dropped' ? { kind: 'timeout' } : state)
    }
    const onDropped = ({ hash }: NodeEvents['dropped'][0]) => {
      if (hash === transaction.hash) finish({ kind: 'dropped' })
    }
    const cancelTimer = clock.at(clock.monotonic() + timeoutMs, () => finish({ kind: 'timeout' }))
    const finish = (inclusion: InclusionResult) => {
      node.events.off('flashblock', onFlashblock)
      node.events.off('dropped', onDropped)
      node.events.off('unwound', onUnwound)
      cancelTimer()
      resolve(inclusion)
    }
    node.events.on('flashblock', onFlashblock)
    node.events.on('dropped', onDropped)
    node.events.on('unwound', onUnwound)
  })
}

/** The receipt of an included transaction, once every process that the client may ask next shows it. */
export async function shownReceipt(
  { block, index }: Included,
  { node, memoizedBlocks }: { readonly node: ServedNode; readonly memoizedBlocks: MemoizedBlocks },
): Promise<EncodedJson> {
  const receipt = memoizedBlocks.receipt(block, index)
  if (node.role === 'reader') await node.shownEverywhere(node.view().head.sequence)
  return receipt
}

/** `undefined`: it is pooled without a nonce gap. */
function presentState(transaction: PoolTransaction, view: View): InclusionResult | undefined {
  const found = view.transaction(transaction.hash)
  if (found === undefined) return { kind: 'dropped' }
  if (found.kind === 'included') return { kind: 'included', found }
  const expected = view.pendingNonce(transaction.from)
  return transaction.nonce > expected ? { kind: 'queued', expected } : undefined
}
