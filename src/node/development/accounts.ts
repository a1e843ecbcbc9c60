import type { DevelopmentAccount } from '../../chain/accounts/development-accounts.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'

/** Addresses impersonated at once: clients must not fill the memory of the node. */
export const MAX_IMPERSONATED = 100_000

export interface AccountSettings {
  /** Accounts that the node signs for, in the order of `eth_accounts`. */
  readonly keys: readonly DevelopmentAccount[]
  /** Whether every address may send without a key. */
  readonly autoImpersonate: boolean
}

/** Why an address is not impersonated: as many as the limit are. */
export interface ImpersonationRefusal {
  readonly code: 'TOO_MANY_IMPERSONATED'
  readonly limit: number
}

/** The accounts that a development node signs for or impersonates. Kept in memory: a restart ends impersonation. */
export class DevelopmentAccounts {
  /** Whether every address may send without a key. */
  impersonatesAll: boolean
  readonly #settings: AccountSettings
  readonly #keys: ReadonlyMap<Address, Bytes>
  readonly #impersonated = new Set<Address>()

  constructor(settings: AccountSettings) {
    this.#settings = settings
    this.#keys = new Map(settings.keys.map(({ address, privateKey }) => [address, privateKey]))
    this.impersonatesAll = settings.autoImpersonate
  }

  /** Accounts with a key. */
  get signers(): readonly Address[] {
    return [...this.#keys.keys()]
  }

  /** In the order in which impersonation began. */
  get impersonated(): readonly Address[] {
    return [...this.#impersonated]
  }

  keyOf(address: Address): Bytes | undefined {
    return this.#keys.get(address)
  }

  /** Whether transactions of the address need no signature. */
  isImpersonated(address: Address): boolean {
    return this.impersonatesAll || this.#impersonated.has(address)
  }

  impersonate(address: Address): ImpersonationRefusal | undefined {
    if (this.#impersonated.size >= MAX_IMPERSONATED && !this.#impersonated.has(address)) {
      return { code: 'TOO_MANY_IMPERSONATED', limit: MAX_IMPERSONATED }
    }
    this.#impersonated.add(address)
    return undefined
  }

  /** @returns whether it was impersonated */
  stopImpersonating(address: Address): boolean {
    return this.#impersonated.delete(address)
  }

  /** As at the start of the node. */
  reset(): void {
    this.#impersonated.clear()
    this.impersonatesAll = this.#settings.autoImpersonate
  }
}
