import type { Address, Hash } from '../../primitives/hex.ts'
import type { NextMultiplier } from '../tokenized-stocks/token-reads.ts'

/** Values of a followed token as of a record. */
export interface TokenState {
  /** Base units. */
  readonly totalSupply: bigint
  /** 0 to 255. */
  readonly decimals: number
  /** Shares per token, with 18 decimals. */
  readonly multiplier: bigint
  /** Ordinals, ascending. */
  readonly pausedFeatures: readonly number[]
  /** A multiplier that applies from the first block at or after its time. */
  readonly scheduled: NextMultiplier | undefined
}

/** A change of a token's values, or an announcement. */
export type TokenChange =
  /** `difference`: base units, below zero for burned ones. */
  | { readonly kind: 'supply'; readonly difference: bigint }
  | { readonly kind: 'multiplier' }
  | { readonly kind: 'pause' }
  /** @property answer price x 10^decimals; `updatedAt`: Unix seconds */
  | { readonly kind: 'price'; readonly answer: bigint; readonly decimals: number; readonly updatedAt: bigint }
  | { readonly kind: 'corporate_action'; readonly action: CorporateAction }

export type CorporateAction =
  | { readonly kind: 'multiplier_scheduled' | 'multiplier_cancelled'; readonly next: NextMultiplier }
  | AnnouncementAction

export type AnnouncementAction =
  /** Texts are `undefined` when they are too long. */
  | {
      readonly kind: 'announced'
      readonly announcement: string | undefined
      readonly description: string | undefined
      readonly uri: string | undefined
    }
  | { readonly kind: 'announcement_ended'; readonly announcement: string | undefined }

/** A change with its place in the chain. */
export interface PlacedChange {
  readonly change: TokenChange
  readonly token: Address
  /** Values after the change. */
  readonly after: TokenState
  readonly number: number
  /** Index of the flashblock. */
  readonly flashblock: number
  /** Unix seconds of the block. */
  readonly timestamp: bigint
  /** The log that says so; `undefined` for a multiplier whose time has come. */
  readonly source: { readonly transactionHash: Hash; readonly logIndex: number } | undefined
  /** Distinguishes the changes of a block, equally on every node. */
  readonly place: string
}
