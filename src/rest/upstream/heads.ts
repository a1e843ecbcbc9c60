import type { Clock } from '../../node/core/clock.ts'
import { type BlockReference, LATEST } from '../../node/view/block-reference.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { RpcReply } from '../../upstream/rpc-reply.ts'
import { UpstreamError } from '../../upstream/upstream-failure.ts'
import { blockCall, blockOf, parseQuantity, type UpstreamBlock } from './upstream-block.ts'
import type { Deadline, UpstreamClient } from './upstream-client.ts'

export interface HeadOptions {
  readonly chainId: bigint
  /** Milliseconds that the block behind a tag is cached; 0: not cached. */
  readonly headLifetimeMs: number
  /** Maximum age of the newest block in seconds, by its timestamp, for requests by tag; 0: no limit. */
  readonly maxStalenessSeconds: number
}

interface Parts {
  readonly client: Pick<UpstreamClient, 'request'>
  readonly clock: Clock
}

/** The block that a reference names, and the newest sealed block at that time. */
export interface Resolution {
  readonly block: UpstreamBlock | undefined
  readonly latest: UpstreamBlock
}

interface Resolved extends Resolution {
  /** Time of the request, on the monotonic clock. */
  readonly since: number
}

const CHAIN_ID = { method: 'eth_chainId', params: [] }

/**
 * Resolves references to blocks. Concurrent lookups share one request. Each batch requests the chain id, because a load
 * balancer may lead to different nodes.
 */
export class Heads {
  readonly #options: HeadOptions
  readonly #parts: Parts
  readonly #requested = new Map<string, Promise<Resolved>>()
  readonly #resolved = new Map<string, Resolved>()

  constructor(options: HeadOptions, parts: Parts) {
    this.#options = options
    this.#parts = parts
  }

  /** The cached hash of the latest block; `undefined` when it is not cached or too old. */
  latestHash(): Hash | undefined {
    const resolved = this.#recent(keyOf(LATEST))
    return resolved === undefined || isStale(resolved.latest, this.#parts.clock.wall(), this.#options)
      ? undefined
      : resolved.latest.hash
  }

  /**
   * @throws UpstreamError; `stale` for a tag when the newest block is too old
   * @throws StatusError `notFound` when the pending block has no usable reference
   */
  async resolve(reference: BlockReference, deadline: Deadline): Promise<Resolution> {
    const key = keyOf(reference)
    const found = this.#recent(key) ?? (await this.#request(key, reference, deadline))
    const isMoving = reference.kind === 'tag' && reference.tag !== 'earliest'
    const now = this.#parts.clock.wall()
    if (isMoving && isStale(found.latest, now, this.#options)) {
      const { maxStalenessSeconds } = this.#options
      throw new UpstreamError({ kind: 'stale', age: ageOf(found.latest, now), maxStalenessSeconds })
    }
    return found
  }

  /** Clears the cache. */
  forget(): void {
    this.#resolved.clear()
  }

  #recent(key: string): Resolved | undefined {
    const resolved = this.#resolved.get(key)
    const isRecent =
      resolved !== undefined && this.#parts.clock.monotonic() < resolved.since + this.#options.headLifetimeMs
    return isRecent ? resolved : undefined
  }

  #request(key: string, reference: BlockReference, deadline: Deadline): Promise<Resolved> {
    const requested = this.#requested.get(key)
    if (requested !== undefined) return requested
    const response = this.#read(reference, deadline).finally(() => this.#requested.delete(key))
    this.#requested.set(key, response)
    // Clients choose numbers and hashes, so only tags are cached.
    if (reference.kind !== 'tag' || this.#options.headLifetimeMs === 0) return response
    return response.then((resolved) => {
      this.#resolved.set(key, resolved)
      return resolved
    })
  }

  async #read(reference: BlockReference, deadline: Deadline): Promise<Resolved> {
    const since = this.#parts.clock.monotonic()
    const isLatest = keyOf(reference) === keyOf(LATEST)
    const calls = [CHAIN_ID, blockCall(LATEST), ...(isLatest ? [] : [blockCall(reference)])]
    const [chainId, newest, named] = await this.#parts.client.request(calls, deadline)
    checkChain(chainId!, this.#options.chainId)
    const latest = blockOf(newest!, LATEST)
    if (latest === undefined) {
      throw new UpstreamError({ kind: 'refused', code: 0, message: 'it has no latest block' })
    }
    return { since, latest, block: isLatest ? latest : blockOf(named!, reference) }
  }
}

/** @throws UpstreamError `wrongChain`, `refused`, `malformed` */
export function checkChain(reply: RpcReply, expected: bigint): void {
  const found = chainIdOf(reply)
  if (found !== expected) throw new UpstreamError({ kind: 'wrongChain', expected, found })
}

/** @throws UpstreamError `refused`, `malformed` */
export function chainIdOf(reply: RpcReply): bigint {
  if (reply.kind === 'error') throw new UpstreamError({ ...reply, kind: 'refused' })
  return parseQuantity(reply.result, 'chain id')
}

/** Whether a block is too old to be served as the newest one. */
function isStale(
  latest: UpstreamBlock,
  now: number,
  { maxStalenessSeconds }: Pick<HeadOptions, 'maxStalenessSeconds'>,
): boolean {
  return maxStalenessSeconds > 0 && ageOf(latest, now) > maxStalenessSeconds
}

/** In whole seconds. */
function ageOf({ timestamp }: UpstreamBlock, now: number): number {
  return Math.floor(now / 1_000) - Number(timestamp)
}

function keyOf(reference: BlockReference): string {
  if (reference.kind === 'tag') return reference.tag
  return reference.kind === 'hash' ? reference.hash : String(reference.number)
}
