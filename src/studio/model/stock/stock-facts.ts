import { bigintOf } from '../../../live/amount.ts'
import { REGISTRY_ADDRESS } from '../../../live/names/known-addresses.ts'
import { visibleText } from '../visible-text.ts'
import { NO_CAP, POLICY_SCOPE_IDS, pausableName, stockInput, stockOutput } from './stock-contract.ts'

/** A tokenized stock at one block. */
export interface StockFacts {
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** Base units. */
  readonly supply: bigint
  /** `undefined` without a cap. */
  readonly cap: bigint | undefined
  /** Shares per token, 18 decimals. */
  readonly multiplier: bigint
  /** A split that is still ahead. */
  readonly scheduled: ScheduledMultiplier | undefined
  readonly pausedFeatures: readonly string[]
  /** Whether the contract has a cap, and can seize: those of earlier upgrades of Base cannot. */
  readonly hasCap: boolean
  readonly canSeize: boolean
  /** Whether the oracle registry holds its price; `undefined`: the chain has no registry. */
  readonly isFrozen: boolean | undefined
  readonly isin: string
  /** Time of the block, Unix seconds. */
  readonly blockTime: bigint
}

export interface ScheduledMultiplier {
  readonly multiplier: bigint
  /** Unix seconds. */
  readonly effectiveAt: bigint
}

const MAX_TEXT = 80

const READS = [
  ['decimals'],
  ['totalSupply'],
  ['multiplier'],
  ['symbol'],
  ['name'],
  ['supplyCap'],
  ['newUIMultiplier'],
  ['effectiveAt'],
  ['pausedFeatures'],
  ['extraMetadata', 'isin'],
  ['policyId', POLICY_SCOPE_IDS['seize-exempt']],
] as const

/** The calls whose outputs `stockFacts` takes. */
export function stockReads(address: string): readonly { readonly to: string; readonly data: `0x${string}` }[] {
  const ofStock = READS.map(([name, ...args]) => ({ to: address, data: stockInput(name, args) }))
  return [...ofStock, { to: REGISTRY_ADDRESS, data: stockInput('getOracleParams', [address], 'registry') }]
}

/**
 * Reads the facts of a stock.
 *
 * @param outputs of the calls of `stockReads`; `undefined` for one that failed
 * @param block that they were made on, of `eth_getBlockByNumber`
 * @returns `undefined` if the contract is no stock
 */
export function stockFacts(address: string, outputs: readonly unknown[], block: unknown): StockFacts | undefined {
  const [decimals, supply, multiplier, symbol, name, cap, next, effectiveAt, paused, isin, exempt] = READS.map(
    ([read], position) => stockOutput(read, outputs[position]),
  )
  const oracle = stockOutput('getOracleParams', outputs[READS.length], 'registry')
  const units = { supply: bigintOf(supply), multiplier: bigintOf(multiplier) }
  if (typeof decimals !== 'number' || units.supply === undefined || units.multiplier === undefined) return undefined
  const blockTime = bigintOf((block as { timestamp?: unknown } | null)?.timestamp) ?? 0n
  const time = bigintOf(effectiveAt) ?? 0n
  return {
    address,
    symbol: textOf(symbol),
    name: textOf(name),
    decimals,
    supply: units.supply,
    cap: cap === NO_CAP ? undefined : bigintOf(cap),
    multiplier: units.multiplier,
    scheduled: time > blockTime ? { multiplier: bigintOf(next) ?? units.multiplier, effectiveAt: time } : undefined,
    pausedFeatures: (Array.isArray(paused) ? paused : []).map(pausableName),
    hasCap: cap !== undefined,
    canSeize: exempt !== undefined,
    isFrozen: Array.isArray(oracle) ? oracle[1] === true : undefined,
    isin: textOf(isin),
    blockTime,
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? visibleText(value, MAX_TEXT) : ''
}
