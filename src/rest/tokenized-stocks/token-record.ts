import { formatDecimal, nearestDouble } from '../../primitives/decimal.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import { MULTIPLIER_DECIMALS } from '../../primitives/stocks/split-ratio.ts'
import { ADDRESS_SCHEMA, DOUBLE_SCHEMA, EXACT_DECIMAL_SCHEMA, HASH_SCHEMA, type Schema } from '../http/schema.ts'
import type { ListedToken } from './listing.ts'
import { LAST_SECOND, type ReadProblem, scheduledAfter, type TokenReading } from './token-reads.ts'

/** Exact decimals of a record's amounts. */
export interface ExactAmounts {
  readonly total_supply_exact: string
  readonly multiplier_exact: string
  readonly nav_price_exact: string
}

/** A tokenized stock in a response; with `exact=true` it has the exact amounts, too. */
export interface TokenRecord extends Partial<ExactAmounts> {
  readonly contract_address: Address
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly icon_url: string
  readonly total_supply: number
  readonly isin: string
  readonly multiplier: number
  readonly paused_features: readonly number[]
  readonly nav_price: number
  readonly nav_price_updated_at: string | null
  readonly listed_at_block: number | null
  readonly listed_at_block_hash: Hash | null
  readonly listed_at: string | null
  readonly scheduled_multiplier?: {
    readonly multiplier: number
    readonly multiplier_exact?: string
    readonly effective_at: string | null
  }
}

const UNDATED =
  'null for a token that is not listed, that lacks the roles of the asset standard, or whose events this node cannot read'

const PROPERTIES: Readonly<Record<Exclude<keyof TokenRecord, keyof ExactAmounts | 'scheduled_multiplier'>, Schema>> = {
  contract_address: { ...ADDRESS_SCHEMA, description: 'in lower case' },
  symbol: { type: 'string' },
  name: { type: 'string', description: 'name of the underlying equity' },
  decimals: { type: 'integer', format: 'int64', minimum: 0, maximum: 255 },
  icon_url: { type: 'string', description: 'an image; empty when there is none' },
  total_supply: { ...DOUBLE_SCHEMA, description: 'token units: supply over 10^decimals' },
  isin: { type: 'string', description: 'of the underlying equity; empty when unknown' },
  multiplier: {
    ...DOUBLE_SCHEMA,
    description: 'shares per token; 1 without adjustment. A scheduled multiplier applies from its time',
  },
  paused_features: {
    type: 'array',
    items: { type: 'integer', format: 'int64', minimum: 0, maximum: 255 },
    description: 'paused features: 0 TRANSFER, 1 MINT, 2 BURN, 3 SEIZE',
  },
  nav_price: { ...DOUBLE_SCHEMA, description: 'price of a token from its feed; 0 without a feed' },
  nav_price_updated_at: {
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'time of the price; null without a feed',
  },
  listed_at_block: {
    type: 'integer',
    format: 'int64',
    minimum: 0,
    nullable: true,
    description: `number of the block in which it was listed, the first one in which it can be minted; ${UNDATED}`,
  },
  listed_at_block_hash: { ...HASH_SCHEMA, nullable: true, description: 'hash of that block; null as its number' },
  listed_at: {
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'time of that block; null as its number',
  },
}

const EXACT_PROPERTIES: Readonly<Record<keyof ExactAmounts, Schema>> = {
  total_supply_exact: exactAmount('total_supply'),
  multiplier_exact: exactAmount('multiplier'),
  nav_price_exact: exactAmount('nav_price'),
}

/** The member with all digits of another one. */
export function exactAmount(member: string): Schema {
  return { ...EXACT_DECIMAL_SCHEMA, description: `all digits of ${member}; present with exact=true` }
}

const SCHEDULED_MULTIPLIER: Schema = {
  type: 'object',
  properties: {
    multiplier: { ...DOUBLE_SCHEMA, description: 'shares per token from then on' },
    multiplier_exact: exactAmount('multiplier'),
    effective_at: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'the first block at or after this time has it; null beyond the year 9999',
    },
  },
  required: ['multiplier', 'effective_at'],
  additionalProperties: false,
  description: 'a multiplier that applies later; absent without one',
}

export const TOKEN_RECORD_SCHEMA = {
  type: 'object',
  properties: { ...PROPERTIES, ...EXACT_PROPERTIES, scheduled_multiplier: SCHEDULED_MULTIPLIER },
  required: Object.keys(PROPERTIES),
  additionalProperties: false,
} satisfies Schema

/**
 * The record of a token.
 *
 * @param timestamp of the block, Unix seconds
 * @param isExact adds the exact amounts
 */
export function tokenRecord(
  { address, reading, registered, listedIn }: ListedToken,
  timestamp: bigint,
  isExact: boolean,
): TokenRecord {
  const { decimals, nav } = reading
  const scheduled = scheduledAfter(reading, timestamp)
  return {
    contract_address: address,
    symbol: symbolOf({ reading, registered }),
    name: registered?.name ?? reading.name ?? '',
    decimals,
    icon_url: registered?.iconUrl ?? '',
    total_supply: nearestDouble(reading.totalSupply, decimals),
    isin: isinOf({ reading, registered }),
    multiplier: nearestDouble(reading.multiplier, MULTIPLIER_DECIMALS),
    paused_features: reading.pausedFeatures,
    nav_price: nav === undefined ? 0 : nearestDouble(nav.answer, nav.decimals),
    nav_price_updated_at: nav === undefined ? null : rfc3339(nav.updatedAt),
    listed_at_block: listedIn?.number ?? null,
    listed_at_block_hash: listedIn?.hash ?? null,
    listed_at: listedIn === undefined ? null : rfc3339OrNull(listedIn.timestamp),
    ...(isExact && exactAmounts(reading)),
    ...(scheduled !== undefined && {
      scheduled_multiplier: {
        multiplier: nearestDouble(scheduled.multiplier, MULTIPLIER_DECIMALS),
        ...(isExact && { multiplier_exact: formatDecimal(scheduled.multiplier, MULTIPLIER_DECIMALS) }),
        effective_at: rfc3339OrNull(scheduled.effectiveAt),
      },
    }),
  }
}

function exactAmounts({ totalSupply, decimals, multiplier, nav }: TokenReading): ExactAmounts {
  return {
    total_supply_exact: formatDecimal(totalSupply, decimals),
    multiplier_exact: formatDecimal(multiplier, MULTIPLIER_DECIMALS),
    nav_price_exact: nav === undefined ? '0' : formatDecimal(nav.answer, nav.decimals),
  }
}

/** Empty if the token has none. */
export function symbolOf({ registered, reading }: Pick<ListedToken, 'registered' | 'reading'>): string {
  return registered?.symbol ?? reading.symbol ?? ''
}

/** Empty if unknown. */
export function isinOf({ registered, reading }: Pick<ListedToken, 'registered' | 'reading'>): string {
  return registered?.isin ?? reading.isin ?? ''
}

/** RFC 3339, whole seconds, UTC. @param seconds at most `LAST_SECOND` */
export function rfc3339(seconds: bigint): string {
  return new Date(Number(seconds) * 1_000).toISOString().replace('.000Z', 'Z')
}

/** As `rfc3339`; `null` beyond the last second that RFC 3339 can name. */
export function rfc3339OrNull(seconds: bigint): string | null {
  return seconds > LAST_SECOND ? null : rfc3339(seconds)
}

/** A `ReadProblem` in a response. */
export function problemRecord({ address, call, message }: ReadProblem) {
  return { contract_address: address, call, message }
}

export const PROBLEM_SCHEMA: Schema = {
  type: 'object',
  properties: {
    contract_address: { ...ADDRESS_SCHEMA, description: 'the contract that was called' },
    call: { type: 'string', description: 'the function, as multiplier()' },
    message: { type: 'string', description: 'why the call failed, or what its result contradicts' },
  },
  required: ['contract_address', 'call', 'message'],
  additionalProperties: false,
}

/** Example for the documentation. */
export const EXAMPLE_TOKEN_RECORD = {
  contract_address: '0x5700000000000000000000000000000000000003',
  symbol: 'QLBKFd',
  name: 'Quillback Foods Demo Stock',
  decimals: 8,
  icon_url: '',
  total_supply: 400_000,
  isin: 'ZZ0000QLBKF6',
  multiplier: 2,
  paused_features: [],
  nav_price: 91.27,
  nav_price_updated_at: '2025-01-01T00:00:00Z',
  listed_at_block: 0,
  listed_at_block_hash: '0x1e0d7a6c4bd0d33bcbc5b5f2a4d7d7bba4fd0d9ad2b2ad4b2a1e5c8c2d1a7f10',
  listed_at: '2025-01-01T00:00:00Z',
  scheduled_multiplier: { multiplier: 4, effective_at: '2026-01-01T00:00:00Z' },
}
