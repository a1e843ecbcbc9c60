import type { Clock } from '../../node/core/clock.ts'
import { LATEST } from '../../node/view/block-reference.ts'
import type { Address } from '../../primitives/hex.ts'
import { StatusError } from '../http/status.ts'
import {
  BlockReplaced,
  type ChainSource,
  ReadRefused,
  readAt,
  type SourceBlock,
} from '../tokenized-stocks/chain-source.ts'
import type { Registry } from '../tokenized-stocks/registry.ts'
import { BlockFollower } from './block-follower.ts'
import {
  type ChangeFollower,
  type ChangeOrigin,
  type EventLog,
  MAX_EVENT_RECORDS,
  type OriginListeners,
  reportUnread,
} from './change-origin.ts'
import { FollowedChain, FollowedLogs, type FollowedTokens } from './followed-chain.ts'
import { readFollowed, statesBefore } from './read-followed.ts'
import type { SealedBlocks } from './sealed-blocks.ts'

/**
 * Blocks before the newest one at which following begins: the first number whose state and logs the node still has. A
 * node that is no archive keeps the states of 128 blocks.
 */
const DEPTHS = [1_024, 100, 0]
/** Milliseconds between looks at the newest block. */
const POLL_MS = 500

/** A node whose sealed blocks give the events. */
export interface SealedEvents {
  readonly blocks: SealedBlocks
  readonly clock: Clock
}

interface Deps extends SealedEvents {
  readonly source: ChainSource
  readonly log: EventLog
}

interface Options {
  readonly chainId: bigint
  readonly registry: Registry
  readonly factory: Address | undefined
}

/** Changes in sealed blocks of another node: ids are positions in its blocks, so that they survive a restart. */
export class BlockOrigin implements ChangeOrigin {
  readonly #factory: Address | undefined
  readonly #deps: Deps

  constructor({ factory }: { readonly factory: Address | undefined }, deps: Deps) {
    this.#factory = factory
    this.#deps = deps
  }

  async begin(registry: Registry): Promise<ChangeFollower> {
    try {
      return await this.#begin(registry)
    } catch (error) {
      throw error instanceof BlockReplaced ? error.refusal : error
    }
  }

  async #begin(registry: Registry): Promise<ChangeFollower> {
    const { source, log } = this.#deps
    const options = { chainId: source.chainId, registry, factory: this.#factory }
    const newest = await source.block(LATEST)
    if (newest === undefined) throw new StatusError('unavailable', 'the upstream node has no latest block')
    const followed = await readAt(newest, (reads) => readFollowed(reads, newest, options))
    reportUnread(log, followed.unread)
    // A short chain has block 0 at several depths.
    for (const base of new Set(DEPTHS.map((depth) => Math.max(0, newest.number - depth)))) {
      const follower = await this.#beginAt(base, newest, followed, options).catch((error: unknown) => {
        if (isRefusal(error) && base < newest.number) return undefined
        throw error
      })
      if (follower !== undefined) return follower
    }
    throw new StatusError('unavailable', 'the chain is being reorganised: try again')
  }

  watch({ onNews }: OriginListeners): () => void {
    const { clock } = this.#deps
    let cancel: () => void
    const look = () => {
      onNews()
      wait()
    }
    const wait = () => {
      cancel = clock.at(clock.monotonic() + POLL_MS, look)
    }
    wait()
    return () => cancel()
  }

  /** @returns `undefined` when the blocks were replaced meanwhile */
  async #beginAt(
    base: number,
    newest: SourceBlock,
    followed: FollowedTokens,
    reading: Options,
  ): Promise<ChangeFollower | undefined> {
    const { blocks, source, log, clock } = this.#deps
    const first = base === newest.number ? newest : await source.block({ kind: 'number', number: base })
    if (first === undefined) return undefined
    const { states, refused } =
      first === newest
        ? { states: followed.states, refused: [] }
        : await readAt(first, (reads) => statesBefore(reads, first, followed, reading))
    reportUnread(log, refused)
    const readAtBlock = newest.number - base
    const chain = new FollowedChain(
      { base, maxPoints: MAX_EVENT_RECORDS, readAt: readAtBlock },
      { ...followed, states },
    )
    const deps = { source, blocks, chain, logs: new FollowedLogs(followed), clock }
    const follower = new BlockFollower({ base: first }, deps)
    return (await follower.readTo(newest)) ? follower : undefined
  }
}

/** Whether the state is pruned, or the node refuses to search the blocks: not that it is overloaded or slow. */
function isRefusal(error: unknown): boolean {
  return error instanceof ReadRefused || (error instanceof StatusError && error.code === 'notFound')
}
