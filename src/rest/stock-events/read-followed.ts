import type { Address } from '../../primitives/hex.ts'
import { wordAt } from '../tokenized-stocks/abi.ts'
import type { BlockReads, SourceBlock } from '../tokenized-stocks/chain-source.ts'
import { readFunctions } from '../tokenized-stocks/function-reads.ts'
import { feedOf, listedAddresses, readingPlan, registeredTokens } from '../tokenized-stocks/listing.ts'
import type { Registry } from '../tokenized-stocks/registry.ts'
import {
  functionRead,
  outputOf,
  readTokens,
  scheduledAfter,
  type TokenReading,
} from '../tokenized-stocks/token-reads.ts'
import type { FollowedTokens } from './followed-chain.ts'
import type { TokenState } from './token-state.ts'

interface Options {
  readonly chainId: bigint
  readonly registry: Registry
  readonly factory: Address | undefined
}

const WAD = 10n ** 18n

/** A token that cannot be followed because its values cannot be read. */
export interface UnreadToken {
  readonly address: Address
  readonly message: string
}

interface ReadStates {
  readonly states: ReadonlyMap<Address, TokenState>
  /** Addresses whose contracts refuse a read. */
  readonly refused: readonly UnreadToken[]
}

/**
 * The tokens to follow: those of the list, mintable yet or not, as of the block of the reads; and those that are left
 * out because they refuse a read, or are no tokens.
 *
 * @throws StatusError as `readListing`
 */
export async function readFollowed(
  reads: BlockReads,
  at: Pick<SourceBlock, 'timestamp'>,
  options: Options,
): Promise<FollowedTokens & { readonly unread: readonly UnreadToken[] }> {
  const registered = registeredTokens(options)
  const { addresses, discovered } = await listedAddresses(reads, options)
  const { states, refused } = await readStates(reads, at, addresses, options)
  const others = [...registered.keys()].filter((address) => !states.has(address))
  const codes = await reads.code(others)
  const awaited = new Set(others.filter((_, index) => codes[index]!.length === 0))
  const problems = new Map(refused.map((token) => [token.address, token]))
  const foreign = others.filter((address) => !awaited.has(address) && !problems.has(address))
  return {
    states,
    unread: [...refused, ...foreign.map((address) => ({ address, message: 'its contract is no token' }))],
    feeds: await readFeeds(reads, addresses, registered),
    withoutMultiplier: new Set(
      [...registered.values()].filter((token) => token.supplyIncludesMultiplier === true).map(({ address }) => address),
    ),
    awaited,
    factory: discovered === undefined ? undefined : { address: options.factory!, listed: discovered },
  }
}

/**
 * Followed tokens as of an earlier block. A token that it does not have yet has no supply then; one that refuses a read
 * at it cannot be followed.
 */
export async function statesBefore(
  reads: BlockReads,
  at: Pick<SourceBlock, 'timestamp'>,
  { states }: Pick<FollowedTokens, 'states'>,
  options: Options,
): Promise<ReadStates> {
  const { states: earlier, refused } = await readStates(reads, at, [...states.keys()], options)
  const unread = new Set(refused.map(({ address }) => address))
  const known = [...states].filter(([token]) => !unread.has(token))
  return {
    states: new Map(known.map(([token, { decimals }]) => [token, earlier.get(token) ?? { ...NEW_TOKEN, decimals }])),
    refused,
  }
}

const NEW_TOKEN = { totalSupply: 0n, multiplier: WAD, pausedFeatures: [], scheduled: undefined }

async function readStates(
  reads: BlockReads,
  { timestamp }: Pick<SourceBlock, 'timestamp'>,
  addresses: readonly Address[],
  options: Options,
): Promise<ReadStates> {
  const registered = registeredTokens(options)
  const plans = addresses.map((address) => ({ ...readingPlan(address, registered.get(address)), needsNames: false }))
  const readings = await readTokens(reads, plans)
  const states = new Map<Address, TokenState>()
  const refused: UnreadToken[] = []
  for (const [index, reading] of readings.entries()) {
    const address = addresses[index]!
    if (reading.kind === 'refused') refused.push({ address, message: `${reading.call}: ${reading.message}` })
    if (reading.kind !== 'token') continue
    states.set(address, { ...valuesOf(reading), scheduled: scheduledAfter(reading, timestamp) })
  }
  return { states, refused }
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
