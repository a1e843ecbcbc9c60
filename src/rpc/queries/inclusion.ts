import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Clock } from '../../node/core/clock.ts'
import type { NodeEvents } from '../../node/core/events.ts'
import type { ServedNode } from '../../node/core/node-handle.ts'
import type { TransactionView, View } from '../../node/core/view.ts'

type Included = Extract<TransactionView, { kind: 'included' }>

/** What became of a sent transaction. */
export type InclusionResult =
  | { readonly kind: 'included'; readonly found: Included }
  /** It waits for others of its sender: `expected` is the nonce that comes next. */
  | { readonly kind: 'gapped'; readonly expected: bigint }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'timeout' }

interface Deps {
  readonly node: Pick<ServedNode, 'view' | 'events'>
  readonly clock: Clock
}

/**
 * InclusionWaits for a transaction that the pool has taken. What already happened is seen in the present view, what happens
 * later is heard: there is nothing in between, since both begin in the same synchronous step.
 *
 * @param timeout milliseconds
 */
export function awaitInclusion(transaction: PoolTransaction, timeout: number, deps: Deps): Promise<InclusionResult> {
  const { node, clock } = deps
  const settled = presentState(transaction, node.view())
  if (settled !== undefined) return Promise.resolve(settled)
  return new Promise((resolve) => {
    const onFlashblock = ({ view, layer }: NodeEvents['flashblock'][0]) => {
      if (!layer.positions.has(transaction.hash)) return
      const found = view.transaction(transaction.hash)
      if (found?.kind === 'included') finish({ kind: 'included', found })
    }
    const onDropped = ({ hash }: NodeEvents['dropped'][0]) => {
      if (hash === transaction.hash) finish({ kind: 'dropped' })
    }
    const cancelTimer = clock.at(clock.monotonic() + timeout, () => finish({ kind: 'timeout' }))
    const finish = (inclusion: InclusionResult) => {
      node.events.off('flashblock', onFlashblock)
      node.events.off('dropped', onDropped)
      cancelTimer()
      resolve(inclusion)
    }
    node.events.on('flashblock', onFlashblock)
    node.events.on('dropped', onDropped)
  })
}

/** `undefined`: it waits and is ready. */
function presentState(transaction: PoolTransaction, view: View): InclusionResult | undefined {
  const found = view.transaction(transaction.hash)
  if (found === undefined) return { kind: 'dropped' }
  if (found.kind === 'included') return { kind: 'included', found }
  const expected = view.pendingNonce(transaction.from)
  return transaction.nonce > expected ? { kind: 'gapped', expected } : undefined
}
