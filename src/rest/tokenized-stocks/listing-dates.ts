import type { LogMatch } from '../../chain/receipt/log-query.ts'
import type { Address } from '../../primitives/hex.ts'
import { StatusError } from '../http/status.ts'
import { type ChainPoint, type ChainReads, type ChainSource, readAt, type SourceBlock } from './chain-source.ts'
import { createdToken, creationQuery, MintingRights, mintQuery, rightsQuery } from './minting-rights.ts'
import { isForkFailure } from './node-logs.ts'

/** The block in which a token was listed. */
export interface ListingBlock extends ChainPoint {
  /** Unix seconds. */
  readonly timestamp: bigint
}

/** Whether a token is listed at a block. */
export type ListingDate =
  | { readonly kind: 'listed'; readonly block: ListingBlock }
  /** Nobody could mint it so far. */
  | { readonly kind: 'notMintable'; readonly rights: MintingRights }
  /** The blocks that tell are not kept, or the node that has them does not search them: tried at block `triedAt`. */
  | { readonly kind: 'unknown'; readonly triedAt: number }

type Dates = ReadonlyMap<Address, ListingDate>
const NO_DATES: Dates = new Map()

/** What is known at a sealed block, from which later blocks go on. */
interface Checkpoint extends ChainPoint {
  readonly dates: Dates
}

/** Requests name several blocks in turn: latest, safe, finalized, pages. */
const MAX_CHECKPOINTS = 8
/** Blocks after which an unknown date is searched again. */
const RETRY_BLOCKS = 100

/**
 * When tokens of the asset standard were listed: in the first block in which they can be minted (Base: "A record
 * appears once the token becomes mintable"; docs/stocks.md has the rule). The dates follow from the logs of the chain
 * alone, so that every node of a chain has the same ones, also after a restart and after a reorganisation. They are
 * continued from block to block: a checkpoint serves a later block only if its block is an ancestor.
 */
export class ListingDates {
  readonly #source: Pick<ChainSource, 'block'>
  /** The last one kept is first. */
  #checkpoints: readonly Checkpoint[] = []

  constructor({ source }: { readonly source: Pick<ChainSource, 'block'> }) {
    this.#source = source
  }

  /**
   * The dates of tokens of the asset standard at a block.
   *
   * @param reads at the block, open
   * @param isKept whether later blocks go on from these dates: those of a list, not those of any address
   * @throws as the reads
   */
  async at(block: SourceBlock, reads: ChainReads, tokens: readonly Address[], isKept: boolean): Promise<Dates> {
    if (tokens.length === 0) return new Map()
    const base = await this.#checkpointBelow(block, reads)
    const known = base === undefined ? NO_DATES : await continued(base, block, reads, tokens)
    const unknown = tokens.filter((token) => isDue(known.get(token), block.number))
    const dates = new Map([...known, ...(await this.#fromStart(reads, unknown, block.number))])
    if (isKept && block.status !== 'open') this.#keep({ number: block.number, hash: block.hash, dates })
    return dates
  }

  /** The newest checkpoint at the block or at one of its ancestors. Checkpoints of a replaced chain are removed. */
  async #checkpointBelow(block: SourceBlock, reads: ChainReads): Promise<Checkpoint | undefined> {
    const lower = this.#checkpoints.filter(({ number }) => number <= block.number)
    for (const checkpoint of lower.sort((one, other) => other.number - one.number)) {
      if (checkpoint.hash === block.hash) return checkpoint
      if (checkpoint.number < block.number && (await reads.isOnChain(checkpoint))) return checkpoint
      this.#remove(checkpoint)
    }
    return undefined
  }

  #remove({ hash }: ChainPoint): void {
    this.#checkpoints = this.#checkpoints.filter((checkpoint) => checkpoint.hash !== hash)
  }

  #keep(checkpoint: Checkpoint): void {
    this.#remove(checkpoint)
    this.#checkpoints = [checkpoint, ...this.#checkpoints].slice(0, MAX_CHECKPOINTS)
  }

  /** The dates at block `to`, found without a checkpoint. */
  async #fromStart(reads: ChainReads, tokens: readonly Address[], to: number): Promise<Dates> {
    const created = await createdIn(reads, tokens, 0)
    const others = tokens.filter((token) => !created.tokens.has(token))
    const isComplete = created.since === 0
    const initial = isComplete && others.length > 0 ? await this.#inBlock0(others) : undefined
    const dates = new Map<Address, ListingDate>()
    const followed = new Map([...created.tokens].map((token) => [token, new MintingRights()] as const))
    for (const token of others) {
      if (initial === undefined) dates.set(token, { kind: 'unknown', triedAt: to })
      else if (initial.tokens.has(token)) dates.set(token, { kind: 'listed', block: initial.block })
      // Made by another factory, or without one.
      else followed.set(token, new MintingRights())
    }
    for (const [token, date] of await follow(reads, followed, { from: created.since, to })) dates.set(token, date)
    return dates
  }

  /**
   * The tokens that block 0 contains. No events tell who may mint them: they are listed from block 0. `undefined` where
   * the state of block 0 is not kept.
   */
  async #inBlock0(
    tokens: readonly Address[],
  ): Promise<{ readonly block: ListingBlock; readonly tokens: ReadonlySet<Address> } | undefined> {
    const found = this.#source.block({ kind: 'tag', tag: 'earliest' })
    try {
      const block = found instanceof Promise ? await found : found
      if (block === undefined) return undefined
      const codes = await readAt(block, (reads) => reads.code(tokens))
      const { number, hash, timestamp } = block
      return {
        block: { number, hash, timestamp },
        tokens: new Set(tokens.filter((_, index) => codes[index]!.length > 0)),
      }
    } catch (error) {
      if (lacksBlock0(error)) return undefined
      throw error
    }
  }
}

/** The dates of a checkpoint after the blocks since, with those of tokens that the factory created in these blocks. */
async function continued(
  base: Checkpoint,
  block: ChainPoint,
  reads: ChainReads,
  tokens: readonly Address[],
): Promise<Dates> {
  const from = base.number + 1
  const dates = new Map<Address, ListingDate>()
  const followed = new Map<Address, MintingRights>()
  for (const token of tokens) {
    const date = base.dates.get(token)
    if (date !== undefined) dates.set(token, date)
    if (date?.kind === 'notMintable') followed.set(token, date.rights)
  }
  if (base.number === block.number) return dates
  const created = await createdIn(
    reads,
    tokens.filter((token) => !base.dates.has(token)),
    from,
  )
  for (const token of created.tokens) followed.set(token, new MintingRights())
  for (const [token, date] of await follow(reads, followed, { from, to: block.number })) dates.set(token, date)
  return dates
}

function isDue(date: ListingDate | undefined, number: number): boolean {
  return date === undefined || (date.kind === 'unknown' && number >= date.triedAt + RETRY_BLOCKS)
}

function lacksBlock0(error: unknown): boolean {
  return isForkFailure(error) || (error instanceof StatusError && error.code === 'notFound')
}

/** The tokens that the factory created in blocks from `from` on. */
async function createdIn(
  reads: ChainReads,
  tokens: readonly Address[],
  from: number,
): Promise<{ readonly since: number; readonly tokens: ReadonlySet<Address> }> {
  if (tokens.length === 0) return { since: from, tokens: new Set() }
  const { logs, since } = await reads.logs(creationQuery(tokens), from)
  return { since, tokens: new Set(logs.map(createdToken)) }
}

/** @param tokens by address: rights before the block `from` */
async function follow(
  reads: ChainReads,
  tokens: ReadonlyMap<Address, MintingRights>,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Dates> {
  if (tokens.size === 0) return new Map()
  const changes = await reads.logs(rightsQuery([...tokens.keys()]), from)
  const byToken = new Map<Address, LogMatch[]>([...tokens.keys()].map((token) => [token, []]))
  for (const match of changes.logs) byToken.get(match.log.address)!.push(match)
  const mintable = new Map<Address, LogMatch>()
  const dates = new Map<Address, ListingDate>()
  for (const [token, before] of tokens) {
    const rights = before.copy()
    const first = firstMintable(rights, byToken.get(token)!)
    if (first !== undefined) mintable.set(token, first)
    dates.set(token, { kind: 'notMintable', rights })
  }
  for (const first of await firstMints(reads, [...tokens.keys()], { mintable, from }))
    mintable.set(first.log.address, first)
  for (const [token, { blockNumber, blockHash, blockTimestamp }] of mintable) {
    const block = { number: blockNumber, hash: blockHash, timestamp: blockTimestamp }
    dates.set(token, { kind: 'listed', block })
  }
  if (changes.since === from) return dates
  return new Map([...tokens.keys()].map((token) => [token, { kind: 'unknown', triedAt: to }]))
}

/**
 * The last log of the first transaction after which the token is mintable. A transaction is atomic: what the calls of a
 * creation grant and take away again nobody could use.
 *
 * @param logs of the token, ascending; applied to `rights`
 */
function firstMintable(rights: MintingRights, logs: readonly LogMatch[]): LogMatch | undefined {
  let first: LogMatch | undefined
  for (const [index, match] of logs.entries()) {
    rights.apply(match.log)
    const isLast = logs[index + 1]?.transactionHash !== match.transactionHash
    if (first === undefined && isLast && rights.isMintable) first = match
  }
  return first
}

/**
 * The first mint of each token, where it is before the token becomes mintable for an account: the first calls of a
 * creation may mint without a role. Searched no further than that, since a listed token may have any number of mints.
 */
async function firstMints(
  reads: ChainReads,
  tokens: readonly Address[],
  { mintable, from }: { readonly mintable: ReadonlyMap<Address, LogMatch>; readonly from: number },
): Promise<readonly LogMatch[]> {
  const others = tokens.filter((token) => !mintable.has(token))
  const found = others.length === 0 ? [] : [...(await reads.logs(mintQuery(others), from)).logs]
  for (const [token, { blockNumber }] of mintable) {
    if (blockNumber > from) found.push(...(await reads.logs(mintQuery([token]), from, blockNumber - 1)).logs)
  }
  const first = new Map<Address, LogMatch>()
  for (const match of found) if (!first.has(match.log.address)) first.set(match.log.address, match)
  return [...first.values()]
}
