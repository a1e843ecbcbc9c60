import type { Address } from '../../primitives/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../development-accounts.ts'
import { contractStorage } from './contract-storage.ts'
import demoStock from './demo-stock.json' with { type: 'json' }
import { type Predeploy, predeploy } from './predeploy.ts'

/** A tokenized stock of a company that does not exist. */
export interface DemoStock {
  /** At most 31 bytes, as is `symbol`. */
  readonly name: string
  readonly symbol: string
  readonly address: string
  readonly decimals: number
  /** Shares per token, 18 decimals. */
  readonly multiplier: bigint
  /** In the token's smallest units; all of it belongs to the owner. */
  readonly totalSupply: bigint
}

const ONE = 10n ** 18n

/** What the demonstration stocks of both networks are at block 0. Symbols end in `d`, which no exchange's do. */
export const DEMO_STOCKS: readonly DemoStock[] = [
  {
    name: 'Halcyon Robotics Demo Stock',
    symbol: 'HLCYNd',
    address: '0x5700000000000000000000000000000000000001',
    decimals: 18,
    multiplier: ONE,
    totalSupply: 1_000_000n * ONE,
  },
  {
    name: 'Meridian Tidal Demo Stock',
    symbol: 'MRDTLd',
    address: '0x5700000000000000000000000000000000000002',
    decimals: 6,
    multiplier: ONE,
    totalSupply: 2_500_000_125_000n,
  },
  {
    // After a 2-for-1 split.
    name: 'Quillback Foods Demo Stock',
    symbol: 'QLBKFd',
    address: '0x5700000000000000000000000000000000000003',
    decimals: 18,
    multiplier: 2n * ONE,
    totalSupply: 400_000n * ONE,
  },
]

/** Who mints, sets multipliers and holds the first supply: development account 0. */
export const DEMO_STOCK_OWNER: Address = DEVELOPMENT_ACCOUNTS[0]!.address

/** `DEMO_STOCKS` as contracts; the code is compiled from contracts/DemoStock.sol by scripts/compile-contracts.mjs. */
export const DEMO_STOCK_CONTRACTS: readonly Predeploy[] = DEMO_STOCKS.map((stock) =>
  predeploy(
    stock.name,
    stock.address,
    demoStock.deployedBytecode,
    contractStorage(demoStock.storageLayout, {
      name: stock.name,
      symbol: stock.symbol,
      decimals: BigInt(stock.decimals),
      owner: BigInt(DEMO_STOCK_OWNER),
      multiplier: stock.multiplier,
      totalSupply: stock.totalSupply,
      balanceOf: new Map([[DEMO_STOCK_OWNER, stock.totalSupply]]),
    }),
  ),
)
