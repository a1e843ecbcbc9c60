import type { Address } from '../../primitives/hex.ts'

/** A token that is listed by name. What the file says of it wins over what the contract says. */
export interface RegisteredToken {
  readonly address: Address
  /** Where it is listed; `undefined`: on every chain where it exists. */
  readonly chainId: bigint | undefined
  readonly symbol: string
  readonly name: string
  readonly isin: string
  /** Empty: there is none. */
  readonly iconUrl: string
  /** Of the price of a token (Chainlink's `latestRoundData`). */
  readonly navFeed: Address | undefined
}

export interface Registry {
  readonly tokens: readonly RegisteredToken[]
  /** Whether the factory's stocks are listed besides. */
  readonly lists: 'registered' | 'registeredAndDiscovered'
  /** Differs where the content does; letters and digits. */
  readonly digest: string
}

export const EMPTY_REGISTRY: Registry = { tokens: [], lists: 'registeredAndDiscovered', digest: 'none' }
