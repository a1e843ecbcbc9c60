import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import { StatusError } from '../http/status.ts'
import {
  type ChainPoint,
  type ChainReads,
  type ChainSource,
  type OpenedBlock,
  readAt,
  type SourceBlock,
} from './chain-source.ts'
import {
  createdIn,
  type Dates,
  type FollowedToken,
  follow,
  type ListingBlock,
  type ListingDate,
  newToken,
} from './date-search.ts'
import { isForkFailure } from './node-logs.ts'

const NO_DATES: Dates = new Map()

/** Dates at a sealed block, from which the dates at later blocks are continued. */
interface Checkpoint extends ChainPoint {
  readonly dates: Dates
  /** When dates that are unknown are searched again, in milliseconds on the monotonic clock. */
  readonly retryAtMs: number
}

/** Tags and pages alternate between blocks. */
const MAX_CHECKPOINTS = 8
/** Tokens whose dates are kept without a list. */
const MAX_ADDRESSES = 256
/** Milliseconds after which an unknown date is searched again. */
const RETRY_MS = 60_000

interface Deps {
  readonly source: Pick<ChainSource, 'block' | 'hasGenesisCode'>
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
}

/**
 * When tokens of the asset standard were listed: in the first block in which they can be minted (Base: "A record
 * appears once the token becomes mintable"; docs/stocks.md has the rule). The dates follow from block 0 and the logs of
 * the chain alone, so that nodes that have these give the same ones, also after a restart and after a reorganisation.
 */
export class ListingDates {
  readonly #deps: Deps
  readonly #list: ContinuedDates
  readonly #ofToken = new BoundedCache<Address, ContinuedDates>({ maxBytes: MAX_ADDRESSES })

  constructor(deps: Deps) {
    this.#deps = deps
    this.#list = new ContinuedDates(deps)
  }

  /**
   * The dates of all tokens of a list.
   *
   * @throws as the reads
   */
  ofList(opened: OpenedBlock, tokens: readonly Address[]): Promise<Dates> {
    return this.#list.at(opened, tokens)
  }

  /**
   * The date of any token. Apart from the list, whose dates a token with many events must not delay.
   *
   * @throws as the reads
   */
  async ofToken(opened: OpenedBlock, token: Address): Promise<ListingDate | undefined> {
    const dates = this.#ofToken.get(token) ?? new ContinuedDates(this.#deps)
    this.#ofToken.set(token, dates, 1)
    return (await dates.at(opened, [token])).get(token)
  }
}

/**
 * Dates that are continued from block to block: a checkpoint serves a later block only if its block is an ancestor. The
 * dates of the open block are continued from those of its parent.
 */
class ContinuedDates {
  readonly #deps: Deps
  /** The last one kept is first. */
  #checkpoints: readonly Checkpoint[] = []

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async at({ at, reads }: OpenedBlock, tokens: readonly Address[]): Promise<Dates> {
    if (tokens.length === 0) return NO_DATES
    const { number, hash, parentHash } = at
    if (at.status !== 'open') return (await this.#atSealed({ number, hash }, reads, tokens)).dates
    if (parentHash === undefined) return (await this.#search({ number, hash }, reads, tokens)).dates
    const created = await createdIn(reads, tokens, { from: number, to: number })
    const older = tokens.filter((token) => !created.blocks.has(token))
    const parent = await this.#atSealed({ number: number - 1, hash: parentHash }, reads, older)
    return continued(parent, number, reads, tokens)
  }

  async #atSealed(block: ChainPoint, reads: ChainReads, tokens: readonly Address[]): Promise<Checkpoint> {
    const checkpoint = await this.#search(block, reads, tokens)
    this.#remove(checkpoint)
    this.#checkpoints = [checkpoint, ...this.#checkpoints].slice(0, MAX_CHECKPOINTS)
    return checkpoint
  }

  async #search(block: ChainPoint, reads: ChainReads, tokens: readonly Address[]): Promise<Checkpoint> {
    const base = await this.#checkpointBelow(block, reads)
    const known = base === undefined ? NO_DATES : await continued(base, block.number, reads, tokens)
    const now = this.#deps.now()
    const isRetry = base === undefined || now >= base.retryAtMs
    const due = tokens.filter((token) => isDue(known.get(token), isRetry))
    const dates = new Map([...known, ...(await this.#fromStart(reads, due, block.number))])
    const { number, hash } = block
    return { number, hash, dates, retryAtMs: isRetry ? this.#deps.now() + RETRY_MS : base.retryAtMs }
  }

  /** The newest checkpoint at the block or at one of its ancestors. Checkpoints of a replaced chain are removed. */
  async #checkpointBelow(block: ChainPoint, reads: ChainReads): Promise<Checkpoint | undefined> {
    const lower = this.#checkpoints.filter(({ number }) => number <= block.number)
    for (const checkpoint of lower.sort((one, other) => other.number - one.number)) {
      if (checkpoint.hash === block.hash) return checkpoint
      if (checkpoint.number < block.number && (await reads.isOnChain(checkpoint))) return checkpoint
      this.#remove(checkpoint)
    }
    return undefined
  }

  #remove({ hash }: { readonly hash: Hash }): void {
    this.#checkpoints = this.#checkpoints.filter((checkpoint) => checkpoint.hash !== hash)
  }

  /** The dates at block `to`, found without a checkpoint. */
  async #fromStart(reads: ChainReads, tokens: readonly Address[], to: number): Promise<Dates> {
    if (tokens.length === 0) return NO_DATES
    const { since, blocks } = await createdIn(reads, tokens, { from: 0, to })
    const others = tokens.filter((token) => !blocks.has(token))
    const isComplete = since === 0
    const needsBlock0 = others.length > 0 && (isComplete || this.#deps.source.hasGenesisCode !== undefined)
    const initial = needsBlock0 ? await this.#inBlock0(others) : undefined
    const dates = new Map<Address, ListingDate>()
    const followed = new Map<Address, FollowedToken>()
    for (const [token, block] of blocks) followed.set(token, newToken(block))
    for (const token of others) {
      if (initial?.tokens.has(token)) dates.set(token, { kind: 'listed', block: initial.block })
      else if (initial === undefined || !isComplete) dates.set(token, { kind: 'unknown', isFinal: false })
      // Not announced by the B20 factory: its rights are followed from block 0.
      else followed.set(token, newToken(0))
    }
    for (const [token, date] of await follow(reads, followed, { from: since ?? 0, to })) dates.set(token, date)
    return dates
  }

  /**
   * The tokens that block 0 contains. No events tell who may mint them: they are listed from block 0. `undefined` where
   * neither the genesis nor the state of block 0 is known.
   */
  async #inBlock0(
    tokens: readonly Address[],
  ): Promise<{ readonly block: ListingBlock; readonly tokens: ReadonlySet<Address> } | undefined> {
    const { source } = this.#deps
    const found = source.block({ kind: 'tag', tag: 'earliest' })
    try {
      const block = found instanceof Promise ? await found : found
      if (block === undefined) return undefined
      const { number, hash, timestamp } = block
      const present = await withCode(tokens, block, source)
      return { block: { number, hash, timestamp }, tokens: new Set(present) }
    } catch (error) {
      if (lacksBlock0(error)) return undefined
      throw error
    }
  }
}

/** The dates of a checkpoint after the blocks since, with those of tokens that the factory created in these blocks. */
async function continued(base: Checkpoint, to: number, reads: ChainReads, tokens: readonly Address[]): Promise<Dates> {
  const from = base.number + 1
  const dates = new Map<Address, ListingDate>()
  const followed = new Map<Address, FollowedToken>()
  for (const token of tokens) {
    const date = base.dates.get(token)
    if (date !== undefined) dates.set(token, date)
    if (date?.kind === 'notMintable') followed.set(token, { rights: date.rights, since: from })
  }
  if (base.number === to) return dates
  const missing = tokens.filter((token) => !base.dates.has(token))
  const created = await createdIn(reads, missing, { from, to })
  for (const [token, block] of created.blocks) followed.set(token, newToken(block))
  for (const [token, date] of await follow(reads, followed, { from, to })) dates.set(token, date)
  return dates
}

/** Those of the addresses that have code in block 0. */
async function withCode(
  addresses: readonly Address[],
  block0: SourceBlock,
  source: Deps['source'],
): Promise<readonly Address[]> {
  if (source.hasGenesisCode !== undefined) return addresses.filter((address) => source.hasGenesisCode!(address))
  const codes = await readAt(block0, (reads) => reads.code(addresses))
  return addresses.filter((_, index) => codes[index]!.length > 0)
}

function isDue(date: ListingDate | undefined, isRetry: boolean): boolean {
  return date === undefined || (date.kind === 'unknown' && !date.isFinal && isRetry)
}

function lacksBlock0(error: unknown): boolean {
  return isForkFailure(error) || (error instanceof StatusError && error.code === 'notFound')
}
