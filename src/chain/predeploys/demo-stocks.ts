import type { Address } from '../../primitives/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../genesis/development-accounts.ts'

/** A tokenized stock of a company that does not exist. */
export interface DemoStock {
  readonly name: string
  readonly symbol: string
  readonly address: string
  /** Under country code ZZ, which is nobody's; the check digit is right. */
  readonly isin: string
  readonly decimals: number
  /** Shares per token at block 0, 18 decimals. */
  readonly multiplier: bigint
  /** In the token's smallest units; all of it belongs to the owner. */
  readonly totalSupply: bigint
  /** In smallest units; without it there is none. */
  readonly supplyCap?: bigint
  /** Ordinals: 0 transfer, 1 mint, 2 burn, 3 seize. */
  readonly pausedFeatures?: readonly number[]
  /** A multiplier that holds from its time (Unix seconds) on. */
  readonly scheduled?: { readonly multiplier: bigint; readonly effectiveAt: bigint }
}

const ONE = 10n ** 18n

/** What the demonstration stocks of both networks are at block 0. Symbols end in `d`, which no exchange's do. */
export const DEMO_STOCKS: readonly DemoStock[] = [
  {
    name: 'Halcyon Robotics Demo Stock',
    symbol: 'HLCYNd',
    address: '0x5700000000000000000000000000000000000001',
    isin: 'ZZ0000HLCYN8',
    decimals: 18,
    multiplier: ONE,
    totalSupply: 1_000_000n * ONE,
  },
  {
    name: 'Meridian Tidal Demo Stock',
    symbol: 'MRDTLd',
    address: '0x5700000000000000000000000000000000000002',
    isin: 'ZZ0000MRDTL7',
    decimals: 6,
    multiplier: ONE,
    totalSupply: 2_500_000_125_000n,
  },
  {
    // After a 2-for-1 split.
    name: 'Quillback Foods Demo Stock',
    symbol: 'QLBKFd',
    address: '0x5700000000000000000000000000000000000003',
    isin: 'ZZ0000QLBKF6',
    decimals: 18,
    multiplier: 2n * ONE,
    totalSupply: 400_000n * ONE,
  },
  {
    // In the middle of a corporate action: it moves, but nothing is issued or redeemed.
    name: 'Ostrander Glassworks Demo Stock',
    symbol: 'OSTGLd',
    address: '0x5700000000000000000000000000000000000004',
    isin: 'ZZ0000OSTGL4',
    decimals: 8,
    // After a 1-for-4 reverse split.
    multiplier: ONE / 4n,
    totalSupply: 75_000_000_000_000n,
    pausedFeatures: [1, 2],
  },
  {
    name: 'Vireo Maritime Demo Stock',
    symbol: 'VIREOd',
    address: '0x5700000000000000000000000000000000000005',
    isin: 'ZZ0000VIREO3',
    decimals: 18,
    // Dividends paid as shares.
    multiplier: 1_023_400_000_000_000_000n,
    totalSupply: 1_250_000n * ONE,
    supplyCap: 1_500_000n * ONE,
  },
  {
    name: 'Fjordline Ceramics Demo Stock',
    symbol: 'FJORDd',
    address: '0x5700000000000000000000000000000000000006',
    isin: 'ZZ0000FJORD6',
    decimals: 6,
    multiplier: ONE,
    totalSupply: 90_000_000_000n,
    // A 3-for-1 split on 2035-01-01 00:00:00 UTC.
    scheduled: { multiplier: 3n * ONE, effectiveAt: 2_051_222_400n },
  },
]

/** Has every role of the demonstration stocks and their first supply: development account 0. */
export const DEMO_STOCK_OWNER: Address = DEVELOPMENT_ACCOUNTS[0]!.address
