import { listedStocks } from '../../chain/b20/listed-stocks.ts'
import { DEMO_STOCK_FEEDS } from '../../chain/predeploys/demo-stocks.ts'
import type { Address } from '../../primitives/hex.ts'
import type { BlockReads } from './chain-source.ts'
import type { ListingBlock, ListingDate } from './date-search.ts'
import { refusedRead } from './function-reads.ts'
import type { RegisteredToken, Registry } from './registry.ts'
import { type ReadProblem, readFactoryList, readTokens, type TokenReading, type TokenToRead } from './token-reads.ts'

interface Options {
  readonly chainId: bigint
  readonly registry: Registry
  readonly factory: Address | undefined
}

interface ListingDeps {
  /** When tokens of the asset standard were listed, at the block of the reads (`ListingDates`). */
  readonly datesOf: (tokens: readonly Address[]) => Promise<ReadonlyMap<Address, ListingDate>>
}

export interface ReadTokenDeps {
  /** When a token of the asset standard was listed, at the block of the reads (`ListingDates`). */
  readonly dateOf: (token: Address) => Promise<ListingDate | undefined>
}

/** A listed token at one block. */
export interface ListedToken {
  readonly address: Address
  readonly reading: TokenReading
  /** Its entry in the registry, whose values take precedence over those of the contract. */
  readonly registered: RegisteredToken | undefined
  /** The block in which it was listed; `undefined` if it is not listed, or unknown. */
  readonly listedIn: ListingBlock | undefined
}

type Readings = Awaited<ReturnType<typeof readTokens>>

/** The list at one block. */
export interface Listing {
  readonly tokens: readonly ListedToken[]
  readonly problems: readonly ReadProblem[]
}

/**
 * All listed tokens at one block: those of the registry in file order, those that the chain is known to list, then
 * those of the factory in order of creation. Addresses without a token at that block and tokens of the asset standard
 * that have not been mintable yet are omitted, and tokens that refuse a read are among the problems.
 *
 * @throws StatusError `failedPrecondition` when the factory does not list its stocks
 */
export async function readListing(reads: BlockReads, options: Options, { datesOf }: ListingDeps): Promise<Listing> {
  const registered = registeredTokens(options)
  const { addresses } = await listedAddresses(reads, options)
  const readings = await readTokens(
    reads,
    addresses.map((address) => readingPlan(address, registered.get(address))),
  )
  const dates = await datesOf(addresses.filter((_, index) => hasDate(readings[index]!)))
  const tokens: ListedToken[] = []
  const problems: ReadProblem[] = []
  for (const [index, reading] of readings.entries()) {
    const address = addresses[index]!
    if (reading.kind === 'refused') problems.push(reading)
    if (reading.kind !== 'token') continue
    const date = dates.get(address)
    if (!isListed(reading, date)) continue
    tokens.push({ address, reading, registered: registered.get(address), listedIn: blockOf(date) })
    if (reading.problem !== undefined) problems.push(reading.problem)
  }
  return { tokens, problems }
}

/**
 * The addresses that are examined for the list, in its order, and the number of those that the factory made;
 * `undefined`: its tokens are not listed.
 *
 * @throws StatusError as `readListing`
 */
export async function listedAddresses(
  reads: BlockReads,
  options: Options,
): Promise<{ readonly addresses: readonly Address[]; readonly discovered: number | undefined }> {
  const { chainId, registry, factory } = options
  const registered = registeredTokens(options).keys()
  if (registry.lists !== 'registeredAndDiscovered' || factory === undefined) {
    return { addresses: [...registered], discovered: undefined }
  }
  const made = await stocksOf(reads, factory)
  return { addresses: [...new Set([...registered, ...listedStocks(chainId), ...made])], discovered: made.length }
}

/**
 * One token of the chain, listed or not; `undefined` if the address has none at this block.
 *
 * @throws StatusError `failedPrecondition` when the contract refuses a read
 */
export async function readToken(
  reads: BlockReads,
  address: Address,
  options: Pick<Options, 'chainId' | 'registry'>,
  { dateOf }: ReadTokenDeps,
): Promise<ListedToken | undefined> {
  const registered = registeredTokens(options).get(address)
  const [reading] = await readTokens(reads, [readingPlan(address, registered)])
  if (reading?.kind === 'refused') throw refusedRead(reading)
  if (reading?.kind !== 'token') return undefined
  const date = hasDate(reading) ? await dateOf(address) : undefined
  return { address, reading, registered, listedIn: blockOf(date) }
}

function hasDate(reading: Readings[number]): boolean {
  return reading.kind === 'token' && reading.hasMintRole
}

/** A token with units has been mintable, even if no event says so: a development node may have set its storage. */
function isListed({ totalSupply }: TokenReading, date: ListingDate | undefined): boolean {
  return date?.kind !== 'notMintable' || totalSupply > 0n
}

function blockOf(date: ListingDate | undefined): ListingBlock | undefined {
  return date?.kind === 'listed' ? date.block : undefined
}

/** Tokens of the registry on this chain, by address, in file order. */
export function registeredTokens({
  chainId,
  registry,
}: Pick<Options, 'chainId' | 'registry'>): ReadonlyMap<Address, RegisteredToken> {
  const here = registry.tokens.filter((token) => token.chainId === undefined || token.chainId === chainId)
  return new Map(here.map((token) => [token.address, token]))
}

/** The price feed of a token: that of its registry entry, otherwise that of a demonstration stock. */
export function feedOf(address: Address, registered: RegisteredToken | undefined): Address | undefined {
  return registered === undefined ? DEMO_STOCK_FEEDS.get(address) : registered.navFeed
}

/** The reads of a token. */
export function readingPlan(address: Address, registered: RegisteredToken | undefined): TokenToRead {
  return {
    address,
    needsNames: registered === undefined,
    navFeed: feedOf(address, registered),
    supplyIncludesMultiplier: registered?.supplyIncludesMultiplier,
  }
}

async function stocksOf(reads: BlockReads, factory: Address): Promise<readonly Address[]> {
  const list = await readFactoryList(reads, factory)
  if (list.kind === 'refused') throw refusedRead(list)
  return list.addresses
}
