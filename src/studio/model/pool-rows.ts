import { type TransactionObject, transactionObject } from './chain-objects.ts'

/** A pooled transaction. */
export interface PoolRow extends TransactionObject {
  readonly state: 'pending' | 'queued'
}

/** Rows that are kept; a pool may have hundreds of thousands. */
export const MAX_POOL_ROWS = 5_000

/** Rows of a result of `txpool_content`: by sender, then by nonce; queued ones after the pending ones of a sender. */
export function poolRows(content: unknown): readonly PoolRow[] {
  const { pending, queued } = (content ?? {}) as { pending?: unknown; queued?: unknown }
  const rows = [...rowsOf(pending, 'pending'), ...rowsOf(queued, 'queued')]
  return rows
    .sort((a, b) => (a.from === b.from ? Number(a.nonce - b.nonce) : a.from < b.from ? -1 : 1))
    .slice(0, MAX_POOL_ROWS)
}

function rowsOf(bySender: unknown, state: PoolRow['state']): readonly PoolRow[] {
  if (bySender === null || typeof bySender !== 'object') return []
  return Object.values(bySender)
    .flatMap((byNonce: unknown) => (byNonce !== null && typeof byNonce === 'object' ? Object.values(byNonce) : []))
    .flatMap((json: unknown) => transactionObject(json) ?? [])
    .map((transaction) => ({ ...transaction, state }))
}
