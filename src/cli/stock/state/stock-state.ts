import type { Address } from '../../../primitives/hex.ts'
import { type ContractFunction, stockFunction } from '../chain/contracts.ts'
import type { Read, ReadBlock } from '../chain/multicall.ts'

/** State of a stock at one block. */
export interface StockState {
  readonly address: Address
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** In smallest units, like the cap. */
  readonly totalSupply: bigint
  /** Undefined without a cap. */
  readonly supplyCap: bigint | undefined
  /** Shares per unit, 18 decimals. */
  readonly multiplier: bigint
  /** Scheduled multiplier with its time (Unix seconds), which is after the block. */
  readonly scheduled: { readonly multiplier: bigint; readonly effectiveAt: bigint } | undefined
  /** Ordinals. */
  readonly pausedFeatures: readonly number[]
  /** Empty if it has none. */
  readonly isin: string
}

/** Value of the cap that means "no cap". */
export const NO_SUPPLY_CAP = 2n ** 128n - 1n

const READS: readonly (readonly [name: string, argument?: string])[] = [
  ['symbol'],
  ['name'],
  ['decimals'],
  ['totalSupply'],
  ['supplyCap'],
  ['multiplier'],
  ['newUIMultiplier'],
  ['effectiveAt'],
  ['pausedFeatures'],
  ['extraMetadata', 'isin'],
]

export const READS_OF_STOCK: number = READS.length

/** The reads for a `StockState`, in the order that `stockState` expects. */
export function readsOf(stock: Address): readonly Read[] {
  return READS.map(([name, argument]) => read(stock, stockFunction(name), argument))
}

export function read(to: Address, of: ContractFunction, args?: unknown): Read {
  return { to, data: of.encode(args), of }
}

/**
 * Decodes the results of the reads.
 *
 * @param block of the reads: determines whether a scheduled multiplier has taken effect
 * @returns undefined when a read failed, because the contract is not a stock
 */
export function stockState(address: Address, values: readonly unknown[], block: ReadBlock): StockState | undefined {
  if (values.length !== READS.length || values.includes(undefined)) return undefined
  const [symbol, name, decimals, totalSupply, supplyCap, multiplier, next, effectiveAt, paused, isin] = values as [
    string,
    string,
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
    readonly bigint[],
    string,
  ]
  return {
    address,
    symbol,
    name,
    decimals: Number(decimals),
    totalSupply,
    supplyCap: supplyCap === NO_SUPPLY_CAP ? undefined : supplyCap,
    multiplier,
    scheduled: effectiveAt > BigInt(block.timestamp) ? { multiplier: next, effectiveAt } : undefined,
    pausedFeatures: paused.map(Number),
    isin,
  }
}
