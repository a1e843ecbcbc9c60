import { DEMO_STOCK_FEEDS } from '../../chain/predeploys/demo-stocks.ts'
import { formatDecimal, nearestDouble } from '../../primitives/decimal.ts'
import type { Address } from '../../primitives/hex.ts'
import type { BlockReads } from './chain-source.ts'
import { refusedRead } from './function-reads.ts'
import type { RegisteredToken, Registry } from './registry.ts'
import { type ReadProblem, readFactoryList, readTokens, type TokenReading } from './token-reads.ts'
import type { ExactAmounts, TokenRecord } from './token-record.ts'

const MULTIPLIER_DECIMALS = 18

interface Options {
  readonly chainId: bigint
  readonly registry: Registry
  readonly factory: Address | undefined
  /** Adds the exact amounts to records. */
  readonly isExact: boolean
}

/** The list at one block. */
export interface Listing {
  readonly tokens: readonly TokenRecord[]
  readonly problems: readonly ReadProblem[]
}

/**
 * Records of all listed tokens at one block: those of the registry in file order, then those of the factory in order of
 * creation. Addresses without a token at that block are omitted, and tokens that refuse a read are among the problems.
 *
 * @throws StatusError `failedPrecondition` when the factory does not list its stocks
 */
export async function readListing(reads: BlockReads, options: Options): Promise<Listing> {
  const { chainId, registry, factory } = options
  const registered = registry.tokens.filter((token) => token.chainId === undefined || token.chainId === chainId)
  const names = new Map(registered.map((token) => [token.address, token]))
  const isDiscovering = registry.lists === 'registeredAndDiscovered' && factory !== undefined
  const made = isDiscovering ? await stocksOf(reads, factory) : []
  const addresses = [...new Set([...names.keys(), ...made])]
  const tokens = addresses.map((address) => {
    const navFeed = names.has(address) ? names.get(address)?.navFeed : DEMO_STOCK_FEEDS.get(address)
    const supplyIncludesMultiplier = names.get(address)?.supplyIncludesMultiplier
    return { address, needsNames: !names.has(address), navFeed, supplyIncludesMultiplier }
  })
  const records: TokenRecord[] = []
  const problems: ReadProblem[] = []
  for (const [index, reading] of (await readTokens(reads, tokens)).entries()) {
    const address = addresses[index]!
    if (reading.kind === 'refused') problems.push(reading)
    if (reading.kind !== 'token') continue
    records.push(recordOf(address, reading, names.get(address), options.isExact))
    if (reading.problem !== undefined) problems.push(reading.problem)
  }
  return { tokens: records, problems }
}

async function stocksOf(reads: BlockReads, factory: Address): Promise<readonly Address[]> {
  const list = await readFactoryList(reads, factory)
  if (list.kind === 'refused') throw refusedRead(list)
  return list.addresses
}

function recordOf(
  address: Address,
  reading: TokenReading,
  registered: RegisteredToken | undefined,
  isExact: boolean,
): TokenRecord {
  const { decimals, nav } = reading
  return {
    contract_address: address,
    symbol: registered?.symbol ?? reading.symbol ?? '',
    name: registered?.name ?? reading.name ?? '',
    decimals,
    icon_url: registered?.iconUrl ?? '',
    total_supply: nearestDouble(reading.totalSupply, decimals),
    isin: registered?.isin ?? reading.isin ?? '',
    multiplier: nearestDouble(reading.multiplier, MULTIPLIER_DECIMALS),
    paused_features: reading.pausedFeatures,
    nav_price: nav === undefined ? 0 : nearestDouble(nav.answer, nav.decimals),
    nav_price_updated_at: nav === undefined ? null : timeText(nav.updatedAt),
    ...(isExact && exactAmounts(reading)),
  }
}

function exactAmounts({ totalSupply, decimals, multiplier, nav }: TokenReading): ExactAmounts {
  return {
    total_supply_exact: formatDecimal(totalSupply, decimals),
    multiplier_exact: formatDecimal(multiplier, MULTIPLIER_DECIMALS),
    nav_price_exact: nav === undefined ? '0' : formatDecimal(nav.answer, nav.decimals),
  }
}

/** RFC 3339, whole seconds, UTC. */
function timeText(seconds: bigint): string {
  return new Date(Number(seconds) * 1_000).toISOString().replace('.000Z', 'Z')
}
