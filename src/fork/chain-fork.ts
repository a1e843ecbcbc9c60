import { toQuantity } from '../primitives/quantity.ts'
import type { ForkCache } from './cache/fork-cache.ts'
import type { ForeignData, ForeignFindings } from './chain/foreign-data.ts'
import { ForkedChain, replacedError } from './chain/forked-chain.ts'
import type { HeaderReading } from './chain/header-reading.ts'
import { type ForkedL1Attributes, readL1Attributes } from './chain/l1-attributes-reading.ts'
import { LoadedChain } from './chain/loaded-chain.ts'
import { CachedSource, type ForkSource, NO_UPSTREAM } from './source/cached-source.ts'
import { ForkError } from './source/fork-error.ts'
import type { ForkPoint, ReplayedBlock, StateAccess } from './source/fork-point.ts'
import { hashValue, quantityValue, ReplyObject } from './source/reply-fields.ts'
import { ForkedState } from './state/forked-state.ts'
import { Prefetcher } from './state/prefetch.ts'
import { ForkUpstream, type ForkUpstreamDeps, type ForkUpstreamOptions } from './upstream/fork-upstream.ts'

export interface ForkSettings {
  readonly point: ForkPoint
  readonly reading: HeaderReading
  readonly access: StateAccess
  /** The upstream will not replace the fork block: it is deep enough, or there is no upstream. */
  readonly isFinal: boolean
  /** Transactions to execute on top of the fork block (`--fork-transaction-hash`). */
  readonly replayed: ReplayedBlock | undefined
  readonly upstream: ForkUpstreamOptions
  /** Opens the chain as of another block, with the other options of this fork. */
  readonly openAt: (change: ForkChange) => Promise<ChainFork>
}

export interface ForkDeps extends ForkUpstreamDeps {
  readonly cache: ForkCache
  readonly data: ForeignData
  /** Absent with `--fork-offline`. */
  readonly upstream: ForkUpstream | undefined
}

/** Result of `tickertape_forkStatus`. */
export interface ForkStatus extends ForkPoint {
  /** Names without keys; `undefined`: offline. */
  readonly upstream: string | undefined
  readonly access: StateAccess
  /** Whether state roots of blocks on top of the fork can be exact. */
  readonly hasProofs: boolean
  readonly requests: number
  readonly calls: number
  readonly retries: number
  readonly cacheBytes: number
  /** Reads of the state and the chain that the cache answered, and those that it could not. */
  readonly cacheHits: number
  readonly cacheMisses: number
  /** Whether executing the blocks on top of the fork gives their state roots. */
  readonly areRootsExact: boolean
  readonly verification: ForkVerification
  /** Absent until `noteRules`. */
  readonly rules: ForkRulesNote | undefined
}

/** Which rules the blocks on top of the fork block have. */
export interface ForkRulesNote {
  readonly name: string
  readonly reason: string
  /** Rules of the chain that this node does not have. */
  readonly missing?: string
}

/** Which data of the forked chain is verified against a hash. */
export interface ForkVerification {
  /** `strict`: what cannot be verified is refused. */
  readonly mode: 'known' | 'strict'
  /** Kinds of data of which everything so far was verified. */
  readonly verified: readonly string[]
  /** Kinds of data of which something is taken as the upstream gives it. */
  readonly trusted: readonly string[]
  /** What only the nodes of the chain know, as far as it was read. */
  readonly foreign: ForeignFindings
}

/** Parts of a fork that change when the chain is read as of another block. */
interface ForkContent {
  readonly settings: ForkSettings
  readonly cache: ForkCache
  readonly data: ForeignData
  readonly source: CachedSource
  readonly chain: ForkedChain
  readonly state: ForkedState
  readonly below: LoadedChain
  readonly prefetcher: Prefetcher
  /** Absent with `--fork-offline`. */
  upstream: ForkUpstream | undefined
  urls: readonly string[]
  rules?: ForkRulesNote
  /** Whether a block on top of the fork began without its system calls. */
  lacksOpeningCalls: boolean
}

/** Another block of the same chain, maybe at other nodes. */
export interface ForkChange {
  /** Default: the present ones. */
  readonly urls?: readonly string[] | undefined
  /** Default: the newest block. */
  readonly blockNumber?: number | undefined
}

/** A chain as of one block: its state, and everything up to it. Opened by `openFork`. */
export class ChainFork {
  #content: ForkContent
  /** The content before the last `adopt`: requests that began on it may still read its cache. */
  #retired: ForkContent | undefined
  /** Caches of earlier contents that are being closed. */
  readonly #closing = new Set<Promise<void>>()
  readonly #deps: ForkDeps

  constructor(settings: ForkSettings, deps: ForkDeps) {
    this.#deps = deps
    this.#content = contentOf(settings, deps)
  }

  get point(): ForkPoint {
    return this.#content.settings.point
  }

  /** The header of the fork block. */
  get reading(): HeaderReading {
    return this.#content.settings.reading
  }

  /** Transactions to execute on top of the fork block. */
  get replayed(): ReplayedBlock | undefined {
    return this.#content.settings.replayed
  }

  get state(): ForkedState {
    return this.#content.state
  }

  get chain(): ForkedChain {
    return this.#content.chain
  }

  get prefetcher(): Prefetcher {
    return this.#content.prefetcher
  }

  /** The same for synchronous readers. Holders keep it when the fork block changes. */
  get below(): LoadedChain {
    return this.#content.below
  }

  /** Reads of the forked chain that this node does not interpret, such as calls on older blocks. */
  get source(): ForkSource {
    return this.#content.source
  }

  /** Whether everything comes from the cache (`--fork-offline`, until `setUrls` names an upstream). */
  get isOffline(): boolean {
    return this.#content.upstream === undefined
  }

  get status(): ForkStatus {
    const { settings, upstream, cache, state, lacksOpeningCalls } = this.#content
    const { requests, calls, retries } = upstream?.statistics ?? { requests: 0, calls: 0, retries: 0 }
    const { access } = settings
    return {
      ...this.point,
      upstream: upstream?.name,
      access,
      hasProofs: access === 'proofs',
      requests,
      calls,
      retries,
      cacheBytes: cache.size,
      cacheHits: cache.statistics.hits,
      cacheMisses: cache.statistics.misses,
      areRootsExact: access === 'proofs' && !state.hasGaps && !lacksOpeningCalls,
      verification: verificationOf(this.#content),
      rules: this.#content.rules,
    }
  }

  /** Milliseconds of waiting after which a request of a client begins no further read: as long as one read may take. */
  get waitLimitMs(): number {
    const { timeoutMs, retries } = this.#content.settings.upstream
    return timeoutMs * (retries + 1)
  }

  /** The error for a request of a client that has waited for longer than `waitLimitMs`. */
  waitError(method: string): ForkError {
    const { upstream } = this.#content
    return new ForkError(
      'FORK_TIMEOUT',
      `${upstream?.name} did not give all that ${method} reads within ${this.waitLimitMs} ms: try again, because what was read is kept, or raise --fork-timeout-ms`,
    )
  }

  /** Call once it is known which rules the blocks on top of the fork block have. */
  noteRules(rules: ForkRulesNote): void {
    this.#content.rules = rules
  }

  /**
   * The values of layer 1 with which the fork block begins on a chain of the OP stack; undefined on other chains, and
   * where nothing says so.
   *
   * @throws ForkError
   */
  async l1Attributes(): Promise<ForkedL1Attributes | undefined> {
    const { source, settings } = this.#content
    const block = await source.fixed('eth_getBlockByNumber', [toQuantity(settings.point.number), false])
    const [first] = new ReplyObject(block, 'the fork block').list('transactions')
    return typeof first === 'string' ? readL1Attributes(source, first) : undefined
  }

  /** Call when a block begins without its system calls, whose slots are missing. */
  noteSkippedCalls(): void {
    this.#content.lacksOpeningCalls = true
  }

  /**
   * Reads from other nodes of the same chain from now on.
   *
   * @throws ForkError when they are of another chain or have another fork block; nothing changes then
   */
  async setUrls(urls: readonly string[]): Promise<void> {
    const content = this.#content
    const upstream = new ForkUpstream({ ...content.settings.upstream, urls }, this.#deps)
    try {
      await assertSameChain(upstream, this.point)
    } catch (error) {
      upstream.close()
      throw error
    }
    content.upstream?.close()
    content.upstream = upstream
    content.source.upstream = upstream
    content.urls = urls
  }

  /**
   * Opens the chain as of another block. This fork does not change before `adopt`; close the other one without it.
   *
   * @throws ForkError
   */
  async openAt(change: ForkChange): Promise<ChainFork> {
    const { settings, urls } = this.#content
    const other = await settings.openAt({ urls, ...change })
    try {
      assertChain(other.point.chainId, this.point.chainId)
    } catch (error) {
      await other.close()
      throw error
    }
    return other
  }

  /**
   * Becomes what `other` is, which must not be used any more. The cache of the former content stays open until the next
   * call; a request that still reads it then is answered with `FORK_STOPPED`.
   */
  adopt(other: ChainFork): void {
    this.#content.upstream?.close()
    if (this.#retired !== undefined) this.#closeLater(this.#retired)
    this.#retired = this.#content
    this.#content = other.#content
  }

  /** Rejects what is being read with `FORK_STOPPED`; everything that is cached can still be read. */
  disconnect(): void {
    this.#content.upstream?.close()
  }

  async close(): Promise<void> {
    this.disconnect()
    await Promise.all([this.#content.cache.close(), this.#retired?.cache.close(), ...this.#closing])
  }

  #closeLater({ cache }: ForkContent): void {
    // A failure loses nothing: values that are not on disk are requested again.
    const closing = cache.close().catch(() => {})
    this.#closing.add(closing)
    void closing.then(() => this.#closing.delete(closing))
  }
}

/** No root commits to the logs of a range. State is proven against the root in the header of the fork block. */
function verificationOf({ data, settings: { access, reading } }: ForkContent): ForkVerification {
  const isStateVerified = access === 'proofs' && reading.isVerified
  const trusted = ['logs', ...(isStateVerified ? [] : ['state']), ...data.trusted]
  const verified = ['state', 'headers', 'transactions', 'receipts'].filter((kind) => !trusted.includes(kind))
  return { mode: data.isStrict ? 'strict' : 'known', verified, trusted, foreign: data.findings }
}

function contentOf(settings: ForkSettings, { cache, data, upstream, clock }: ForkDeps): ForkContent {
  const { point, access, reading } = settings
  const source = new CachedSource({ cache, upstream: upstream ?? NO_UPSTREAM })
  const chain = new ForkedChain({ point }, { source, data })
  const blockHashAt = (number: number) => chain.blockHashAt(number)
  const confirmBlock = async () => {
    if (content.upstream === undefined || settings.isFinal) return
    assertBlock(await content.upstream.call('eth_getBlockByNumber', [toQuantity(point.number), false]), point)
  }
  const stateCache = access === 'proofs' ? cache : cache.unproven
  const state = new ForkedState({ point, access }, { cache: stateCache, source, blockHashAt, confirmBlock })
  // Nodes prove fewer blocks than they have the state of, so values of earlier blocks are trusted.
  const stateAt = (earlier: ForkPoint) =>
    new ForkedState(
      { point: earlier, access: access === 'proofs' ? 'values' : access },
      { cache: cache.at(earlier.number), source, blockHashAt, confirmBlock: async () => {} },
    )
  const trieNodes = access === 'proofs' ? state.trieNodes : undefined
  const below = new LoadedChain({ point, reading }, { chain, clock, state, trieNodes, stateAt })
  const prefetcher = new Prefetcher({ number: point.number }, { state, source, clock })
  const content: ForkContent = {
    settings,
    cache,
    data,
    source,
    chain,
    state,
    below,
    prefetcher,
    upstream,
    urls: settings.upstream.urls,
    lacksOpeningCalls: false,
  }
  return content
}

/** @throws ForkError unless every endpoint has the chain and the fork block */
async function assertSameChain(upstream: ForkUpstream, point: ForkPoint): Promise<void> {
  const [chainIds, blocks] = await Promise.all([
    upstream.callEach('eth_chainId', []),
    upstream.callEach('eth_getBlockByNumber', [toQuantity(point.number), false]),
  ])
  for (const chainId of chainIds) assertChain(quantityValue(chainId, 'eth_chainId'), point.chainId)
  for (const block of blocks) assertBlock(block, point)
}

/** @throws ForkError FORK_WRONG_CHAIN */
export function assertChain(found: bigint, expected: bigint): void {
  if (found === expected) return
  throw new ForkError(
    'FORK_WRONG_CHAIN',
    `an upstream is of chain ${found}, not of chain ${expected}: name nodes of one chain in --fork-url, or correct --fork-chain-id`,
  )
}

function assertBlock(result: unknown, point: ForkPoint): void {
  if (result === null) {
    throw new ForkError(
      'FORK_BLOCK_MISSING',
      `an upstream does not have the fork block ${point.number}: wait until it has synchronized, or use another --fork-url`,
    )
  }
  const hash = hashValue(new ReplyObject(result, `block ${point.number}`).raw('hash'), 'the hash of the fork block')
  if (hash !== point.hash) throw replacedError(point, hash)
}
