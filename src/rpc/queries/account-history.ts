import { DEPOSIT_TYPE } from '../../chain/transaction/transaction.ts'
import type { TransactionView } from '../../node/view/view.ts'
import type { Address } from '../../primitives/hex.ts'
import type { ReadContext, State } from '../context/reading.ts'

/**
 * The first sealed block after which a condition on the state holds, by binary search: it reads the state at about
 * log2(blocks) heights. The condition must keep holding once it does; otherwise any block where it begins to hold may
 * be returned.
 *
 * @returns `undefined`: it does not hold at the newest sealed block, or held at the oldest block that has state
 */
export function firstBlockWhere({ view }: ReadContext, holds: (state: State) => boolean): number | undefined {
  const holdsAt = (number: number) => {
    const state = view.state({ kind: 'number', number })
    return state !== undefined && holds(state)
  }
  let before = view.oldest().state
  let after = view.head.sealed.latest
  if (!holdsAt(after) || holdsAt(before)) return undefined
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (holdsAt(middle)) after = middle
    else before = middle
  }
  return after
}

/**
 * The sealed or pre-confirmed transaction of a sender with a nonce.
 *
 * @returns `undefined`: there is none in a block that has state
 */
export function transactionOf(
  sender: Address,
  nonce: bigint,
  context: ReadContext,
): Extract<TransactionView, { kind: 'included' }> | undefined {
  const { view } = context
  const sealed = firstBlockWhere(context, (state) => (state.account(sender)?.nonce ?? 0n) > nonce)
  const blocks = [view.block({ kind: 'tag', tag: 'pending' })]
  if (sealed !== undefined) blocks.push(view.block({ kind: 'number', number: sealed }))
  for (const block of blocks) {
    const found = block?.block.transactions.find(
      (transaction) => transaction.type !== DEPOSIT_TYPE && transaction.from === sender && transaction.nonce === nonce,
    )
    const included = found && view.transaction(found.hash)
    if (included?.kind === 'included') return included
  }
  return undefined
}
