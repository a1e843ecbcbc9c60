import { hasUserTransactions } from '../../chain/system-transactions/l1-attributes.ts'
import type { View } from '../view/view.ts'

/**
 * Whether the chain is unused: there are no transactions of users in blocks and no state changes from outside. A node
 * on a schedule may have sealed an empty block since it started.
 */
export function isUnused({ head }: Pick<View, 'head'>): boolean {
  const { sealed, pending, recent, base } = head
  if (sealed.latest > 1 || base.prelude(1) !== undefined) return false
  if (base.number === 1 && hasUserTransactions(base.block(1)!)) return false
  return [...recent, pending].every(({ block, prelude }) => !hasUserTransactions(block) && prelude === undefined)
}
