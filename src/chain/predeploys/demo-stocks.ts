import { type Address, toAddress } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { DEVELOPMENT_ACCOUNTS } from '../accounts/development-accounts.ts'
import { b20Address } from '../b20/addresses.ts'

/** A tokenized stock of a fictitious company. */
export interface DemoStock {
  readonly name: string
  readonly symbol: string
  readonly address: string
  /** Its price feed (contracts/stock/PriceFeed.sol) and the price at block 0, with 8 decimals. */
  readonly priceFeed: { readonly address: string; readonly answer: bigint }
  /** With the unassigned country code ZZ and a valid check digit. */
  readonly isin: string
  readonly decimals: number
  /** Shares per token at block 0, 18 decimals. */
  readonly multiplier: bigint
  /** In base units; the owner holds all of it. */
  readonly totalSupply: bigint
  /** In base units. Default: none. */
  readonly supplyCap?: bigint
  /** Ordinals: 0 transfer, 1 mint, 2 burn, 3 seize. */
  readonly pausedFeatures?: readonly number[]
  /** A multiplier change scheduled for a time (Unix seconds). */
  readonly scheduled?: { readonly multiplier: bigint; readonly effectiveAt: bigint }
}

/**
 * Sets of demonstration stocks. `v1`: decimals 18, 6, 18, 8, 18 and 6, without oracle registry and market. `v2`: most
 * have 8 decimals as the stocks on Base, and prices depend on the oracle registry and on the sessions of the market.
 * Supplies in tokens, addresses and prices are the same.
 */
export const DEMO_STOCK_SETS = ['v1', 'v2'] as const
export type DemoStockSet = (typeof DEMO_STOCK_SETS)[number]
export const DEFAULT_DEMO_STOCK_SET: DemoStockSet = 'v2'

/** Multipliers of tokens and pauses of their feeds (contracts/stock/OracleRegistry.sol), at its address on Base. */
export const ORACLE_REGISTRY_ADDRESS = toAddress('0x3f3E8cf41cdd3b1D118c16471aB0113DfDDd5CaD')

/** Sessions of the exchange (contracts/stock/StockMarket.sol). */
export const STOCK_MARKET_ADDRESS = toAddress('0x5700000000000000000000000000000000000100')

const ONE = 10n ** 18n

/** The demonstration stocks (`v2`) of both networks at block 0. Their symbols end in `d`, unlike those of exchanges. */
export const DEMO_STOCKS: readonly DemoStock[] = [
  {
    name: 'Halcyon Robotics Demo Stock',
    symbol: 'HLCYNd',
    address: '0x5700000000000000000000000000000000000001',
    priceFeed: { address: '0x5700000000000000000000000000000000000101', answer: 18_742_000_000n },
    isin: 'ZZ0000HLCYN8',
    decimals: 18,
    multiplier: ONE,
    totalSupply: 1_000_000n * ONE,
  },
  {
    name: 'Meridian Tidal Demo Stock',
    symbol: 'MRDTLd',
    address: '0x5700000000000000000000000000000000000002',
    priceFeed: { address: '0x5700000000000000000000000000000000000102', answer: 4_310_500_000n },
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
    priceFeed: { address: '0x5700000000000000000000000000000000000103', answer: 9_127_000_000n },
    isin: 'ZZ0000QLBKF6',
    decimals: 8,
    multiplier: 2n * ONE,
    totalSupply: 40_000_000_000_000n,
  },
  {
    // During a corporate action: transfers work, minting and burning are paused.
    name: 'Ostrander Glassworks Demo Stock',
    symbol: 'OSTGLd',
    address: '0x5700000000000000000000000000000000000004',
    priceFeed: { address: '0x5700000000000000000000000000000000000104', answer: 22_318_000_000n },
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
    priceFeed: { address: '0x5700000000000000000000000000000000000105', answer: 5_664_000_000n },
    isin: 'ZZ0000VIREO3',
    decimals: 8,
    // Dividends paid as shares.
    multiplier: 1_023_400_000_000_000_000n,
    totalSupply: 125_000_000_000_000n,
    supplyCap: 150_000_000_000_000n,
  },
  {
    name: 'Fjordline Ceramics Demo Stock',
    symbol: 'FJORDd',
    address: '0x5700000000000000000000000000000000000006',
    priceFeed: { address: '0x5700000000000000000000000000000000000106', answer: 1_288_250_000n },
    isin: 'ZZ0000FJORD6',
    decimals: 8,
    multiplier: ONE,
    totalSupply: 9_000_000_000_000n,
    // A 3-for-1 split on 2035-01-01 00:00:00 UTC.
    scheduled: { multiplier: 3n * ONE, effectiveAt: 2_051_222_400n },
  },
]

/**
 * Development account 0: holds every role and the initial supply of the demonstration stocks, writes their prices, and
 * opens and closes the market.
 */
export const DEMO_STOCK_OWNER: Address = DEVELOPMENT_ACCOUNTS[0]!.address

/**
 * The same stocks on chains with native tokens (B20): created by their owner, with the position in the list, from 1 on,
 * as salt.
 */
export const NATIVE_DEMO_STOCKS: readonly DemoStock[] = DEMO_STOCKS.map((stock, index) => ({
  ...stock,
  address: b20Address('asset', DEMO_STOCK_OWNER, bigintToHash(BigInt(index + 1))),
}))

/** Price feeds of the demonstration stocks, by stock. */
export const DEMO_STOCK_FEEDS: ReadonlyMap<Address, Address> = new Map(
  [...DEMO_STOCKS, ...NATIVE_DEMO_STOCKS].map(({ address, priceFeed }) => [
    toAddress(address),
    toAddress(priceFeed.address),
  ]),
)
