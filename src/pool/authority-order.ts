import { maxFeePerGas, type PoolTransaction } from '../chain/transaction/transaction.ts'
import type { Address } from '../primitives/hex.ts'
import { type AuthorizedNonce, type AuthorizedNonceIndex, authorizedNonces } from './authorized-nonces.ts'
import { entryAt, isUsedBefore, type SenderQueue } from './sender-queue.ts'
import type { PoolEntry } from './types.ts'

interface Deps {
  /** The nonces that authorizations in pooled transactions use. */
  readonly authorized: AuthorizedNonceIndex
  queueOf(sender: Address): SenderQueue | undefined
  /** Transactions in the flashblock that is being built. */
  executed(): Iterable<PoolEntry>
}

/**
 * Order of a transaction and of an authorization that uses the same nonce of its account (EIP-7702). The transaction
 * goes first, and the authorization is then skipped; in the other order the transaction would be invalid. Thus a signed
 * authorization that others hold cannot block its authority's own transactions (go-ethereum, `validateAuth` in
 * core/txpool/legacypool/legacypool.go).
 */
export class AuthorityOrder {
  readonly #deps: Deps
  /** Offered to the block builder last, which may be executing it. */
  #offered: PoolEntry | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Whether a transaction has to wait, because the next one of an authority has the nonce of its authorization.
   * Otherwise it counts as being executed.
   */
  mustWait(entry: PoolEntry): boolean {
    const { from } = entry.transaction
    const mustWait = entry.authorized.some((one) => one.authority !== from && this.#isNext(one))
    if (!mustWait) this.#offered = entry
    return mustWait
  }

  /**
   * A nonce that an authorization and a transaction of its authority would use, if one of them is in the pool, the
   * other is judged, and the transaction cannot be sure to go first.
   *
   * @param queue the sender's queue, including in-flight transactions
   * @param baseFee wei per gas of the open block
   */
  reservedNonce(
    transaction: PoolTransaction,
    queue: SenderQueue | undefined,
    baseFee: bigint,
  ): AuthorizedNonce | undefined {
    const { from, nonce } = transaction
    const own = { authority: from, nonce }
    if (isUsedBefore(queue, nonce)) return own
    const isAuthorized = this.#deps.authorized.has(own)
    if (isAuthorized && (this.#isBeingUsed(own) || !canGoFirst(transaction, baseFee))) return own
    return authorizedNonces(transaction).find((one) => {
      const pooled = one.authority === from ? queue : this.#deps.queueOf(one.authority)
      const rival = entryAt(pooled?.entries ?? [], one.nonce)
      if (rival === undefined) return false
      return one.authority === from || !canGoFirst(rival.transaction, baseFee)
    })
  }

  /** Whether a transaction with this nonce is the authority's next one to be executed. */
  #isNext({ authority, nonce }: AuthorizedNonce): boolean {
    const queue = this.#deps.queueOf(authority)
    if (queue === undefined) return false
    const executed = new Set(this.#deps.executed())
    const next = queue.entries.find((entry) => !executed.has(entry))
    if (next?.transaction.nonce !== nonce) return false
    const before = queue.entries[queue.entries.indexOf(next) - 1]
    return nonce === (before?.nextNonce ?? queue.state.nonce)
  }

  /** Whether a transaction whose authorization has this nonce is executed, or may be at this moment. */
  #isBeingUsed({ authority, nonce }: AuthorizedNonce): boolean {
    const entries = [...this.#deps.executed(), ...(this.#offered === undefined ? [] : [this.#offered])]
    return entries.some(({ authorized }) =>
      authorized.some((one) => one.authority === authority && one.nonce === nonce),
    )
  }
}

/**
 * Whether a transaction with an authorized nonce is executed as soon as it is its sender's next one. It waits for
 * no other account: two transactions could otherwise wait for each other.
 */
function canGoFirst(transaction: PoolTransaction, baseFee: bigint): boolean {
  const waitsForOthers = authorizedNonces(transaction).some(({ authority }) => authority !== transaction.from)
  return !waitsForOthers && maxFeePerGas(transaction) >= baseFee
}
