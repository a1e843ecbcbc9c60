import type { Address } from '../../primitives/hex.ts'

/** A token of the registry. Its values take precedence over those of the contract. */
export interface RegisteredToken {
  readonly address: Address
  /** Chain on which it is listed; `undefined`: every chain where it exists. */
  readonly chainId: bigint | undefined
  readonly symbol: string
  readonly name: string
  readonly isin: string
  /** Empty if it has none. */
  readonly iconUrl: string
  /** Price feed with Chainlink's `latestRoundData`. */
  readonly navFeed: Address | undefined
  /** Longest time between two prices of the feed; a price is stale beyond it. Default: one day. */
  readonly navHeartbeatSeconds?: number
  /** Whether its supply counts shares already, so that it is listed with the multiplier 1. Default: false. */
  readonly supplyIncludesMultiplier?: boolean
}

export interface Registry {
  readonly tokens: readonly RegisteredToken[]
  /** Whether stocks of the factory are listed too. */
  readonly lists: 'registered' | 'registeredAndDiscovered'
  /** Digest of the content; letters and digits. */
  readonly digest: string
}

export const EMPTY_REGISTRY: Registry = { tokens: [], lists: 'registeredAndDiscovered', digest: 'none' }
