import type { LogMatch } from '../../chain/receipt/log-query.ts'
import type { Address } from '../../primitives/hex.ts'
import type { ChainPoint, ChainReads } from './chain-source.ts'
import { createdToken, creationQuery, MintingRights, mintQuery, rightsQuery } from './minting-rights.ts'

/** The block in which a token was listed. */
export interface ListingBlock extends ChainPoint {
  /** Unix seconds. */
  readonly timestamp: bigint
}

/** Whether a token is listed at a block. */
export type ListingDate =
  | { readonly kind: 'listed'; readonly block: ListingBlock }
  /** It has not been mintable yet. */
  | { readonly kind: 'notMintable'; readonly rights: MintingRights }
  /** Its events cannot be read: they are pruned, take too long or are too many, or the upstream refuses the range. */
  | { readonly kind: 'unknown'; readonly isFinal: boolean }

export type Dates = ReadonlyMap<Address, ListingDate>

/**
 * Events about the minting rights of a token before it is mintable. With more, its date is unknown. A limit by number,
 * unlike one by time, gives the same date at each node.
 */
const MAX_RIGHTS_EVENTS = 256

const UNKNOWN: ListingDate = { kind: 'unknown', isFinal: false }
const UNKNOWN_FOR_EVER: ListingDate = { kind: 'unknown', isFinal: true }

interface Blocks {
  readonly from: number
  /** Inclusive. */
  readonly to: number
}

/** The tokens that the factory created in a range of blocks. */
export interface CreatedTokens {
  /** Lowest block that was searched; `undefined`: the search took too long. */
  readonly since: number | undefined
  /** The block in which each token was created. */
  readonly blocks: ReadonlyMap<Address, number>
}

export async function createdIn(reads: ChainReads, tokens: readonly Address[], range: Blocks): Promise<CreatedTokens> {
  const blocks = new Map<Address, number>()
  if (tokens.length === 0) return { since: range.from, blocks }
  const visit = (match: LogMatch) => {
    blocks.set(createdToken(match), match.blockNumber)
    return blocks.size < tokens.length
  }
  return { since: await reads.scanLogs({ query: creationQuery(tokens), ...range, visit }), blocks }
}

/** A token before the first block of a search. */
export interface FollowedToken {
  readonly rights: MintingRights
  /** No mint can be below this block. */
  readonly since: number
}

/** @param since the block in which the token was created, or the first one that is searched */
export function newToken(since: number): FollowedToken {
  return { rights: new MintingRights(), since }
}

/** The dates after a range of blocks of tokens that are not listed before it. */
export async function follow(
  reads: ChainReads,
  tokens: ReadonlyMap<Address, FollowedToken>,
  range: Blocks,
): Promise<Dates> {
  const addresses = [...tokens.keys()]
  if (addresses.length === 0) return new Map()
  const followers = new Map([...tokens].map(([address, token]) => [address, new RightsFollower(token, range)] as const))
  const query = rightsQuery(addresses)
  const since = await reads.scanLogs({
    query,
    ...range,
    visit: (match) => followers.get(match.log.address)!.add(match),
  })
  const mints = since === range.from ? await firstMints(reads, followers, range) : undefined
  if (mints === undefined) return new Map(addresses.map((address) => [address, UNKNOWN]))
  return new Map([...followers].map(([address, follower]) => [address, follower.date(mints.get(address))]))
}

/** Finds the first transaction after which a token is mintable for some account. */
class RightsFollower {
  readonly since: number
  readonly #to: number
  #rights: MintingRights
  #last: LogMatch | undefined
  #mintable: LogMatch | undefined
  #tooManyIn: number | undefined

  constructor({ rights, since }: FollowedToken, { to }: Blocks) {
    this.#rights = rights
    this.since = since
    this.#to = to
  }

  /** Applies the next log of `rightsQuery`. @returns whether further ones are needed */
  add(match: LogMatch): boolean {
    const last = this.#last
    // A role granted and revoked within one transaction is never usable.
    if (last !== undefined && last.transactionHash !== match.transactionHash && this.#rights.isMintable) {
      this.#mintable = last
      return false
    }
    if (this.#rights.eventCount >= MAX_RIGHTS_EVENTS) {
      this.#tooManyIn = match.blockNumber
      return false
    }
    // Checkpoints share the rights of tokens without new events.
    if (last === undefined) this.#rights = this.#rights.copy()
    this.#rights.apply(match.log)
    this.#last = match
    return true
  }

  /** The last block in which a mint would list the token: the one before it is mintable for an account. */
  get lastBlockOfMint(): number {
    const { mintable } = this
    return mintable === undefined ? (this.#tooManyIn ?? this.#to) : mintable.blockNumber - 1
  }

  /** @param mint the first one up to `lastBlockOfMint` */
  date(mint: LogMatch | undefined): ListingDate {
    const first = mint ?? this.mintable
    if (first !== undefined) {
      return { kind: 'listed', block: blockOf(first) }
    }
    return this.#tooManyIn === undefined ? { kind: 'notMintable', rights: this.#rights } : UNKNOWN_FOR_EVER
  }

  /** The last log of that transaction, once all logs were added. */
  get mintable(): LogMatch | undefined {
    if (this.#mintable !== undefined || this.#tooManyIn !== undefined) return this.#mintable
    return this.#rights.isMintable ? this.#last : undefined
  }
}

function blockOf({ blockNumber, blockHash, blockTimestamp }: LogMatch): ListingBlock {
  return { number: blockNumber, hash: blockHash, timestamp: blockTimestamp }
}

/**
 * The first mint of each token, where it is before the token becomes mintable for an account: the first calls of a
 * creation may mint without a role. Tokens that are mintable are searched no further than that, since they may have any
 * number of mints.
 *
 * @returns `undefined` if they cannot be read
 */
async function firstMints(
  reads: ChainReads,
  followers: ReadonlyMap<Address, RightsFollower>,
  { from, to }: Blocks,
): Promise<ReadonlyMap<Address, LogMatch> | undefined> {
  const mints = new Map<Address, LogMatch>()
  const searched = [...followers].filter(([, { since, lastBlockOfMint }]) => Math.max(from, since) <= lastBlockOfMint)
  const visit = (match: LogMatch) => {
    const { address } = match.log
    if (match.blockNumber <= followers.get(address)!.lastBlockOfMint) mints.set(address, match)
    return false
  }
  for (const isOpenEnded of [true, false]) {
    const group = searched.filter(([, { lastBlockOfMint }]) => (lastBlockOfMint === to) === isOpenEnded)
    if (group.length === 0) continue
    const range = {
      from: Math.max(from, Math.min(...group.map(([, { since }]) => since))),
      to: Math.max(...group.map(([, { lastBlockOfMint }]) => lastBlockOfMint)),
    }
    const query = mintQuery(group.map(([address]) => address))
    if ((await reads.scanLogs({ query, ...range, visit })) !== range.from) return undefined
  }
  return mints
}
