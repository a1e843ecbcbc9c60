import { recoverAuthority } from '../chain/transaction/authorization.ts'
import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import type { Address } from '../primitives/hex.ts'

/** A nonce that an authorization uses instead of a transaction of its authority (EIP-7702). */
export interface AuthorizedNonce {
  readonly authority: Address
  readonly nonce: bigint
}

const NONE: readonly AuthorizedNonce[] = Object.freeze([])

/**
 * The nonces that the authorizations of a transaction may use. Those of its sender are known exactly, as it uses its
 * own nonce first; whether another authority still has the nonce is known when the transaction is executed.
 */
export function authorizedNonces(transaction: PoolTransaction): readonly AuthorizedNonce[] {
  if (transaction.type !== 4) return NONE
  const { authorizationList, chainId, from } = transaction
  const used: AuthorizedNonce[] = []
  let own = transaction.nonce + 1n
  for (const authorization of authorizationList) {
    if (authorization.chainId !== 0n && authorization.chainId !== chainId) continue
    const authority = recoverAuthority(authorization)
    if (authority === undefined) continue
    const { nonce } = authorization
    if (authority !== from) used.push({ authority, nonce })
    else if (nonce === own) used.push({ authority, nonce: own++ })
  }
  return used
}

/** The sender's nonce after a transaction with these authorizations. */
export function nonceAfter({ from, nonce }: PoolTransaction, authorized: readonly AuthorizedNonce[]): bigint {
  return nonce + 1n + BigInt(authorized.filter(({ authority }) => authority === from).length)
}

/** Counts how many pool transactions use each authorized nonce. */
export class AuthorizedNonceIndex {
  readonly #uses = new Map<Address, Map<bigint, number>>()

  hasAuthority(address: Address): boolean {
    return this.#uses.has(address)
  }

  has({ authority, nonce }: AuthorizedNonce): boolean {
    return this.#uses.get(authority)?.has(nonce) === true
  }

  add(all: readonly AuthorizedNonce[]): void {
    for (const { authority, nonce } of all) {
      const uses = this.#uses.get(authority) ?? new Map<bigint, number>()
      uses.set(nonce, (uses.get(nonce) ?? 0) + 1)
      this.#uses.set(authority, uses)
    }
  }

  delete(all: readonly AuthorizedNonce[]): void {
    for (const { authority, nonce } of all) {
      const uses = this.#uses.get(authority)
      const left = (uses?.get(nonce) ?? 0) - 1
      if (left > 0) uses?.set(nonce, left)
      else uses?.delete(nonce)
      if (uses?.size === 0) this.#uses.delete(authority)
    }
  }
}
