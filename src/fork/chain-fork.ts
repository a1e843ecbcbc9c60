import type { Bytes } from '../primitives/hex.ts'
import { toQuantity } from '../primitives/quantity.ts'
import type { ForkCache } from './cache/fork-cache.ts'
import { CachedSource, type ForkSource, NO_UPSTREAM } from './cached-source.ts'
import { ForkedChain, replacedError } from './chain/forked-chain.ts'
import type { HeaderReading } from './chain/header-reading.ts'
import { LoadedChain } from './chain/loaded-chain.ts'
import { ForkError } from './fork-error.ts'
import type { ForkPoint, StateAccess } from './fork-point.ts'
import { hashValue, quantityValue, ReplyObject } from './reply-fields.ts'
import { ForkedState } from './state/forked-state.ts'
import { Prefetcher } from './state/prefetch.ts'
import { ForkUpstream, type ForkUpstreamDeps, type ForkUpstreamOptions } from './upstream/fork-upstream.ts'

export interface ForkSettings {
  readonly point: ForkPoint
  readonly reading: HeaderReading
  readonly access: StateAccess
  /** The upstream will not replace the fork block: it is deep enough, or there is no upstream. */
  readonly isSettled: boolean
  /** Raw transactions to execute on top of the fork block, in order (`--fork-transaction-hash`). */
  readonly replayed: readonly Bytes[]
  readonly upstream: ForkUpstreamOptions
}

export interface ForkDeps extends ForkUpstreamDeps {
  readonly cache: ForkCache
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
}

/** A chain as of one block: its state, and everything up to it. Opened by `openFork`. */
export class ChainFork {
  readonly point: ForkPoint
  /** The header of the fork block. */
  readonly reading: HeaderReading
  readonly state: ForkedState
  readonly chain: ForkedChain
  readonly prefetcher: Prefetcher
  /** The same for synchronous readers. */
  readonly below: LoadedChain
  /** Raw transactions to execute on top of the fork block, in order. */
  readonly replayed: readonly Bytes[]
  readonly #settings: ForkSettings
  readonly #deps: ForkDeps
  readonly #source: CachedSource
  #upstream: ForkUpstream | undefined

  constructor(settings: ForkSettings, deps: ForkDeps) {
    const { point, access, reading, replayed } = settings
    const { cache } = deps
    this.point = point
    this.reading = reading
    this.replayed = replayed
    this.#settings = settings
    this.#deps = deps
    this.#upstream = deps.upstream
    this.#source = new CachedSource({ cache, upstream: deps.upstream ?? NO_UPSTREAM })
    const source = this.#source
    this.chain = new ForkedChain({ point }, { source })
    const blockHashAt = (number: number) => this.chain.blockHashAt(number)
    this.state = new ForkedState(
      { point, access },
      { cache, source, blockHashAt, confirmBlock: () => this.#confirmBlock() },
    )
    const isProven = access === 'proofs'
    this.below = new LoadedChain(
      { point, reading },
      {
        chain: this.chain,
        cache,
        state: this.state,
        trieNodes: isProven ? this.state.trieNodes : undefined,
        stateAt: (earlier) => this.#stateAt(earlier),
      },
    )
    this.prefetcher = new Prefetcher({ number: point.number }, { state: this.state, source })
  }

  /** Reads of the forked chain that this node does not interpret, such as calls on older blocks. */
  get source(): ForkSource {
    return this.#source
  }

  get status(): ForkStatus {
    const { requests, calls, retries } = this.#upstream?.statistics ?? { requests: 0, calls: 0, retries: 0 }
    const { access } = this.#settings
    return {
      ...this.point,
      upstream: this.#upstream?.name,
      access,
      hasProofs: access === 'proofs',
      requests,
      calls,
      retries,
      cacheBytes: this.#deps.cache.size,
    }
  }

  /**
   * Reads from other nodes of the same chain from now on.
   *
   * @throws ForkError when they are of another chain or have another fork block; nothing changes then
   */
  async setUrls(urls: readonly string[]): Promise<void> {
    const upstream = new ForkUpstream({ ...this.#settings.upstream, urls }, this.#deps)
    try {
      await assertSameChain(upstream, this.point)
    } catch (error) {
      upstream.close()
      throw error
    }
    this.#upstream?.close()
    this.#upstream = upstream
    this.#source.upstream = upstream
  }

  async close(): Promise<void> {
    this.#upstream?.close()
    await this.#deps.cache.close()
  }

  /** Nodes prove fewer blocks than they have the state of, so values of earlier blocks are trusted. */
  #stateAt(point: ForkPoint): ForkedState {
    const { access } = this.#settings
    return new ForkedState(
      { point, access: access === 'proofs' ? 'values' : access },
      {
        cache: this.#deps.cache.at(point.number),
        source: this.#source,
        blockHashAt: (number) => this.chain.blockHashAt(number),
        confirmBlock: async () => {},
      },
    )
  }

  async #confirmBlock(): Promise<void> {
    const upstream = this.#upstream
    if (upstream === undefined || this.#settings.isSettled) return
    assertBlock(await upstream.call('eth_getBlockByNumber', [toQuantity(this.point.number), false]), this.point)
  }
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
