import type { Address } from '../../primitives/hex.ts'
import { wordAt } from '../tokenized-stocks/abi.ts'
import type { BlockReads, SourceBlock } from '../tokenized-stocks/chain-source.ts'
import { readFunctions } from '../tokenized-stocks/function-reads.ts'
import { feedOf, listedAddresses, readingPlan, registeredTokens } from '../tokenized-stocks/listing.ts'
import type { Registry } from '../tokenized-stocks/registry.ts'
import { readDetails } from '../tokenized-stocks/token-details.ts'
import { functionRead, outputOf, readTokens, type TokenReading } from '../tokenized-stocks/token-reads.ts'
import type { FollowedTokens } from './followed-chain.ts'
import type { TokenState } from './token-state.ts'

interface Options {
  readonly chainId: bigint
  readonly registry: Registry
  readonly factory: Address | undefined
}

const WAD = 10n ** 18n

/**
 * The tokens to follow: those of the list, mintable yet or not, as of the block of the reads.
 *
 * @throws StatusError as `readListing`
 */
export async function readFollowed(reads: BlockReads, at: SourceBlock, options: Options): Promise<FollowedTokens> {
  const registered = registeredTokens(options)
  const { addresses, discovered } = await listedAddresses(reads, options)
  const states = await readStates(reads, at, addresses, options)
  return {
    states,
    feeds: await readFeeds(reads, addresses, registered),
    withoutMultiplier: new Set(
      [...registered.values()].filter((token) => token.supplyIncludesMultiplier === true).map(({ address }) => address),
    ),
    awaited: new Set([...registered.keys()].filter((address) => !states.has(address))),
    factory: discovered === undefined ? undefined : { address: options.factory!, listed: discovered },
  }
}

/**
 * The same tokens as of an earlier block. A token that it does not have yet has no supply then.
 */
export async function statesBefore(
  reads: BlockReads,
  at: SourceBlock,
  { states }: Pick<FollowedTokens, 'states'>,
  options: Options,
): Promise<ReadonlyMap<Address, TokenState>> {
  const earlier = await readStates(reads, at, [...states.keys()], options)
  return new Map(
    Array.from(states, ([token, { decimals }]) => [token, earlier.get(token) ?? { ...NEW_TOKEN, decimals }] as const),
  )
}

const NEW_TOKEN = { totalSupply: 0n, multiplier: WAD, pausedFeatures: [], scheduled: undefined }

async function readStates(
  reads: BlockReads,
  { timestamp }: SourceBlock,
  addresses: readonly Address[],
  options: Options,
): Promise<ReadonlyMap<Address, TokenState>> {
  const registered = registeredTokens(options)
  const plans = addresses.map((address) => ({ ...readingPlan(address, registered.get(address)), needsNames: false }))
  const readings = await readTokens(reads, plans)
  const states = new Map<Address, TokenState>()
  for (const [index, reading] of readings.entries()) {
    if (reading.kind !== 'token') continue
    const address = addresses[index]!
    const token = { address, reading, registered: registered.get(address), listedIn: undefined }
    const { scheduled } = await readDetails(reads, token, timestamp)
    states.set(address, { ...valuesOf(reading), scheduled })
  }
  return states
}

function valuesOf({ totalSupply, decimals, multiplier, pausedFeatures }: TokenReading) {
  return { totalSupply, decimals, multiplier, pausedFeatures: [...pausedFeatures].sort((a, b) => a - b) }
}

async function readFeeds(
  reads: BlockReads,
  addresses: readonly Address[],
  registered: ReturnType<typeof registeredTokens>,
): Promise<FollowedTokens['feeds']> {
  const priced = new Map<Address, Address[]>()
  for (const token of addresses) {
    const feed = feedOf(token, registered.get(token))
    if (feed !== undefined) priced.set(feed, [...(priced.get(feed) ?? []), token])
  }
  const feeds = [...priced]
  const results = await readFunctions(
    reads,
    feeds.map(([to]) => ({ to, ...functionRead('decimals()') })),
  )
  const found = feeds.map(([feed, tokens], index) => {
    const decimals = wordAt(outputOf(results[index]), 0)
    return decimals === undefined || decimals > 255n ? [] : [[feed, { decimals: Number(decimals), tokens }] as const]
  })
  return new Map(found.flat())
}
