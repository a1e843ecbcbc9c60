import { LATEST } from '../../node/view/block-reference.ts'
import type { MonotonicClock } from '../../primitives/clock.ts'
import type { Hash } from '../../primitives/hex.ts'
import { type ChainPoint, type ChainSource, ReadRefused, type SourceBlock } from '../tokenized-stocks/chain-source.ts'
import { type ChangeFollower, MAX_EVENT_RECORDS, MAX_KEPT_EVENTS } from './change-origin.ts'
import { ChangeWindow, positionId } from './change-window.ts'
import type { FollowedChain, FollowedLogs } from './followed-chain.ts'
import type { LoggedBlock, SealedBlocks } from './sealed-blocks.ts'

/** Blocks that are read at once, at most. */
const BLOCKS_PER_STEP = 64
/**
 * Milliseconds for which an earlier block of the same chain may be the newest one: behind a load balancer, one of
 * several nodes may lag. After them the later blocks count as unwound. A count of looks would not do: each new
 * subscriber causes one.
 */
const LAG_MS = 5_000

interface Deps {
  readonly source: ChainSource
  readonly blocks: SealedBlocks
  readonly chain: FollowedChain
  readonly logs: FollowedLogs
  readonly clock: Pick<MonotonicClock, 'monotonic'>
}

/** Follows the sealed blocks of another node over its reorganisations. */
export class BlockFollower implements ChangeFollower {
  readonly window = new ChangeWindow({ maxRecords: MAX_EVENT_RECORDS, maxFrames: MAX_KEPT_EVENTS })
  readonly #deps: Deps
  /** The block that was followed last. */
  #tip: ChainPoint
  /** Hashes of the followed blocks and of the one before them, oldest first. */
  readonly #hashes: Map<number, Hash>
  #sequence = 0
  /** Blocks to read at once: fewer after the upstream has refused to search more. */
  #step = BLOCKS_PER_STEP
  /** When the upstream began to return an earlier block, on the monotonic clock. */
  #behindSince: number | undefined

  /** @param base the block as of which the chain has its values */
  constructor({ base: { number, hash } }: { readonly base: ChainPoint }, deps: Deps) {
    this.#deps = deps
    this.#tip = { number, hash }
    this.#hashes = new Map([[number, hash]])
    this.window.add(positionId(number, hash), { removed: [], added: [] })
  }

  /** The list at `latest` has all changes. */
  start(): number {
    return this.window.end
  }

  ready(): object {
    return { changes: 'sealed', block_number: this.#tip.number, block_hash: this.#tip.hash }
  }

  async advance(onRead: () => void): Promise<boolean> {
    const newest = await this.#deps.source.block(LATEST)
    if (newest === undefined || newest.hash === this.#tip.hash) {
      this.#behindSince = undefined
      return true
    }
    if (this.#hashes.get(newest.number) === newest.hash) {
      const now = this.#deps.clock.monotonic()
      this.#behindSince ??= now
      if (now - this.#behindSince < LAG_MS) return true
      this.#behindSince = undefined
      const isUnwound = this.#unwindTo(newest)
      onRead()
      return isUnwound
    }
    this.#behindSince = undefined
    const ancestor = await this.#knownAncestor(newest)
    if (ancestor === undefined) return false
    return this.#readOn(ancestor, newest.number, onRead)
  }

  /**
   * Reads the blocks behind the base.
   *
   * @returns whether they end with this block
   */
  async readTo({ number, hash }: ChainPoint): Promise<boolean> {
    const isFollowed = await this.#readOn(this.#tip.number, number, () => undefined)
    return isFollowed && this.#tip.hash === hash
  }

  /** Number of an ancestor of a block that was followed, not necessarily of the newest one. */
  async #knownAncestor({ number: newest, parentHash }: SourceBlock): Promise<number | undefined> {
    const [base] = this.#hashes.keys()
    let number = Math.min(this.#tip.number, newest - 1)
    for (let step = 1; number >= base!; step *= 2) {
      const hash = number === newest - 1 && parentHash ? parentHash : await this.#deps.blocks.hashOf(number)
      if (hash === this.#hashes.get(number)) return number
      if (number === base) return undefined
      number = Math.max(base!, number - step)
    }
    return undefined
  }

  /** @returns whether the blocks could be followed; blocks that are replaced meanwhile are read at the next look */
  async #readOn(ancestor: number, to: number, onRead: () => void): Promise<boolean> {
    for (let from = ancestor + 1; from <= to; ) {
      const read = await this.#readStep(from, to)
      const last = read?.at(-1)
      if (read === undefined || last === undefined) return true
      for (const block of read) {
        if (this.#hashes.get(block.number) === block.hash) continue
        if (this.#hashes.get(block.number - 1) !== block.parentHash) return true
        if (!this.#apply(block)) return false
      }
      onRead()
      from = last.number + 1
    }
    return true
  }

  /** The first blocks of a range: half as many whenever the upstream refuses them, and then more again. */
  async #readStep(from: number, to: number): Promise<readonly LoggedBlock[] | undefined> {
    for (;;) {
      const end = Math.min(to, from + this.#step - 1)
      try {
        const read = await this.#read(from, end)
        this.#step = Math.min(BLOCKS_PER_STEP, 2 * this.#step)
        return read
      } catch (error) {
        if (!(error instanceof ReadRefused) || end === from) throw error
        this.#step = Math.ceil((end - from + 1) / 2)
      }
    }
  }

  /** Reads again if the factory creates tokens, whose logs the first queries did not name. */
  async #read(from: number, to: number): Promise<readonly LoggedBlock[] | undefined> {
    const { blocks, logs } = this.#deps
    for (;;) {
      const { queries } = logs
      const read = await blocks.read({ from, to }, queries)
      for (const block of read ?? []) for (const { log } of block.logs) logs.note(log)
      if (read === undefined || logs.queries === queries) return read
    }
  }

  #apply({ number, hash, parentHash, timestamp, logs }: LoggedBlock): boolean {
    const wanted = logs.filter(({ log }) => this.#deps.logs.isWanted(log))
    const record = { kind: 'flashblock', number, index: 0, parentHash, hash, timestamp, logs: wanted } as const
    return this.#applyRecord(record)
  }

  #unwindTo({ number, hash }: ChainPoint): boolean {
    return this.#applyRecord({ kind: 'unwind', number, hash, altered: new Set() })
  }

  #applyRecord(record: Parameters<FollowedChain['apply']>[0]['record'] & ChainPoint): boolean {
    const { number, hash } = record
    this.#sequence += 1
    const step = this.#deps.chain.apply({ sequence: this.#sequence, record })
    if (step === undefined) return false
    // A removed change has the position of its own block, which the same block has after a restart too.
    this.window.add(positionId(number, hash), step, (change) =>
      positionId(change.number, this.#hashes.get(change.number)!),
    )
    for (let above = number + 1; this.#hashes.delete(above); above++);
    this.#hashes.set(number, hash)
    this.#tip = { number, hash }
    this.#forget()
    return true
  }

  /** In large steps. */
  #forget(): void {
    if (this.#hashes.size < 2 * MAX_EVENT_RECORDS) return
    for (const number of [...this.#hashes.keys()].slice(0, MAX_EVENT_RECORDS)) this.#hashes.delete(number)
  }
}
