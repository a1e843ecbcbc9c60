import type { Logger } from 'pino'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { PendingReplies } from '../../primitives/threads/pending-replies.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { TrieNodeWrites } from '../../state/trie-node-source.ts'
import type { Clock } from '../core/clock.ts'
import { encodeLayerDiff, type LayerDiff } from './layer-diff.ts'
import { decodeNodeWrites } from './node-writes-codec.ts'
import type { TrieThread, TrieThreadData } from './start-trie-thread.ts'
import type { TrieRequest, TrieResponse } from './trie-messages.ts'

export interface RemoteTriesOptions {
  /** Minimum changed accounts and slots of a flashblock for the thread; the first such flashblock starts it. */
  readonly smallestDiff: number
  /** Consecutive smaller flashblocks after which the thread stops following. */
  readonly smallDiffs: number
  /** Timeouts in milliseconds: to start, to apply a diff, and to collect the nodes of a block. */
  readonly limitsMs: { readonly begin: number; readonly apply: number; readonly writes: number }
}

export interface RemoteTriesDeps {
  readonly startThread: () => TrieThread
  readonly clock: Pick<Clock, 'monotonic' | 'at'>
  /** Yields to the event loop. */
  readonly yieldTurn: () => Promise<void>
  readonly log: Pick<Logger, 'warn'>
}

/** Flashblocks of a mostly idle node change less; applying them takes less time than messages to another thread. */
const SMALLEST_DIFF = 64
/**
 * Where a block is built for each transaction, messages to the thread would take a seventh of the processor time after
 * a single large block.
 */
const SMALL_DIFFS = 64
/**
 * After a timeout the result is computed here, because flashblocks and shutdown wait for it. The thread sends the nodes
 * of a block in pieces between flashblocks.
 */
const LIMITS = { begin: 30_000, apply: 2_000, writes: 10_000 }
/** Maximum number of blocks before a failed thread is restarted. */
const LONGEST_REST = 1_024

/** @returns `undefined` if there should be no other thread */
export function openRemoteTries(
  environment: Omit<RemoteTriesDeps, 'startThread' | 'yieldTurn'> & {
    readonly startTrieThread?: ((data: TrieThreadData) => TrieThread) | undefined
    readonly yieldTurn?: () => Promise<void>
  },
  data: TrieThreadData,
): RemoteTries | undefined {
  const { startTrieThread, clock, log, yieldTurn = () => Promise.resolve() } = environment
  if (startTrieThread === undefined) return undefined
  return new RemoteTries(
    { smallestDiff: SMALLEST_DIFF, smallDiffs: SMALL_DIFFS, limitsMs: LIMITS },
    { startThread: () => startTrieThread(data), clock, log, yieldTurn },
  )
}

/**
 * Applies the diffs of flashblocks to the state trie on another thread, and collects there the nodes to store. That
 * relieves the sequencer's thread of 20 microseconds per transaction. This thread does the work where the other cannot,
 * while flashblocks are small, and until it has started.
 *
 * @example tries.begin(layers); const trie = await tries.apply(parent.trie, { number, diff }); tries.stored(number)
 */
export class RemoteTries {
  readonly #options: RemoteTriesOptions
  readonly #deps: RemoteTriesDeps
  /** Diffs since the store, while flashblocks are made. */
  #layers: LayerDiff[] | undefined
  #thread: TrieThread | undefined
  /** Threads that failed: the store stays open until they have ended. */
  readonly #ending: Promise<void>[] = []
  /** Whether the thread receives diffs, and whether it has started. */
  #phase: 'off' | 'starting' | 'following' = 'off'
  /** Smaller flashblocks in succession. */
  #smallDiffs = 0
  /** Replies are `undefined` if the thread gives none. The note ends the timeout. */
  readonly #waiting = new PendingReplies<TrieResponse | undefined, () => void>()
  /** Accounts to prefetch, sent as one message. */
  #ahead: Address[] = []
  #failures = 0
  /** The first block at which the thread may be restarted. */
  #restsUntil = 0
  #isClosed = false

  constructor(options: RemoteTriesOptions, deps: RemoteTriesDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** @param layers diffs from the store to the parent of the next flashblock, oldest first */
  begin(layers: readonly LayerDiff[]): void {
    this.end()
    if (!this.#isClosed) this.#layers = [...layers]
  }

  /** Stops following; no flashblock comes before the next `begin`. */
  end(): void {
    this.#leave()
    this.#layers = undefined
  }

  /** Applies one more flashblock. @returns the new trie @throws TrieNodeError */
  apply(before: StateTrie, layer: LayerDiff): MaybePromise<StateTrie> {
    const { diff } = layer
    if (diff.accounts.size === 0) return before
    if (this.#hasBecomeIdle(diff)) {
      this.#layers?.push(layer)
      this.#leave()
      return this.#applyHere(before, diff)
    }
    if (this.#phase === 'off' && this.#smallDiffs === 0 && this.#mayFollow(layer)) this.#follow()
    this.#layers?.push(layer)
    if (this.#phase === 'off') return before.apply(diff)
    const request = { kind: 'apply', before: before.root, layer: encodeLayerDiff(layer) } as const
    if (this.#phase === 'starting') {
      // Starting may take as long as a flashblock interval.
      void this.#request((id) => ({ ...request, id })).then((response) => this.#restIfUnknown(response))
      return before.apply(diff)
    }
    return this.#request((id) => ({ ...request, id }), this.#options.limitsMs.apply).then((response) => {
      this.#restIfUnknown(response)
      if (response?.kind !== 'applied') return this.#applyHere(before, diff)
      this.#failures = 0
      return before.applyLazily(diff, { root: response.root, storageRoots: new Map(response.storageRoots) })
    })
  }

  /**
   * Prefetches trie nodes of accounts that the next flashblock changes.
   *
   * @returns false if this thread has to do it
   */
  prefetch(addresses: readonly Address[]): boolean {
    if (this.#phase !== 'following') return false
    if (this.#ahead.length === 0) void this.#deps.yieldTurn().then(() => this.#postPrefetch())
    this.#ahead.push(...addresses)
    return true
  }

  /**
   * The node writes that replace the stored trie with root `before` by that of block `number`.
   *
   * @param root of that block's state
   * @returns `undefined` if this thread has to compute them
   */
  async nodeWrites(before: Hash, number: number, root: Hash): Promise<TrieNodeWrites | undefined> {
    if (this.#phase !== 'following') return undefined
    const response = await this.#request(
      (id) => ({ kind: 'writes', id, before, number, root }),
      this.#options.limitsMs.writes,
    )
    return response?.kind === 'writes' ? decodeNodeWrites(response.writes) : undefined
  }

  /** The store contains block `number` now. */
  stored(number: number): void {
    this.#layers = this.#layers?.filter((layer) => layer.number > number)
    if (this.#phase !== 'off') this.#thread?.post({ kind: 'stored' })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.end()
    this.#resolveWaiting()
    const thread = this.#thread
    this.#thread = undefined
    await Promise.all([...this.#ending, thread?.end()])
  }

  /** Counts small flashblocks in succession. */
  #hasBecomeIdle(diff: StateDiff): boolean {
    this.#smallDiffs = sizeOf(diff) < this.#options.smallestDiff ? this.#smallDiffs + 1 : 0
    return this.#phase === 'following' && this.#smallDiffs >= this.#options.smallDiffs
  }

  #mayFollow({ number }: LayerDiff): boolean {
    return this.#layers !== undefined && number >= this.#restsUntil
  }

  #follow(): void {
    this.#thread ??= this.#start()
    this.#phase = 'starting'
    const layers = this.#layers!.map(encodeLayerDiff)
    void this.#request((id) => ({ kind: 'begin', id, layers }), this.#options.limitsMs.begin).then((response) => {
      this.#restIfUnknown(response)
      if (response?.kind === 'begun' && this.#phase === 'starting') this.#phase = 'following'
    })
  }

  /** The thread stops following. */
  #leave(): void {
    if (this.#phase !== 'off') this.#thread?.post({ kind: 'end' })
    this.#phase = 'off'
  }

  #start(): TrieThread {
    const thread = this.#deps.startThread()
    thread.listen(
      (response) => {
        if (this.#thread === thread) this.#receive(response)
      },
      (error) => {
        if (this.#thread === thread) this.#fail(error)
      },
    )
    return thread
  }

  /** Sequentially: the lost trie may include all diffs above the store. */
  async #applyHere(before: StateTrie, diff: StateDiff): Promise<StateTrie> {
    for (const _ of before.makeSteps()) await this.#deps.yieldTurn()
    return before.apply(diff)
  }

  #postPrefetch(): void {
    const addresses = this.#ahead
    this.#ahead = []
    if (this.#phase === 'following') this.#thread?.post({ kind: 'prefetch', addresses })
  }

  /** @param limit milliseconds after which the thread counts as failed. Default: no limit */
  #request(request: (id: number) => TrieRequest, limit?: number): Promise<TrieResponse | undefined> {
    const { clock } = this.#deps
    const thread = this.#thread!
    const cancel =
      limit === undefined
        ? () => {}
        : clock.at(clock.monotonic() + limit, () => {
            this.#fail(new Error(`it has not answered for ${limit} ms`))
            this.#ending.push(thread.end())
          })
    const { id, reply } = this.#waiting.add(cancel)
    thread.post(request(id))
    return reply
  }

  #receive(response: TrieResponse): void {
    this.#waiting.resolve(response.id, response)?.()
  }

  /** Work continues on this thread, more slowly. */
  #fail(error: unknown): void {
    this.#thread = undefined
    this.#rest(error instanceof Error ? error.message : String(error))
    this.#resolveWaiting()
  }

  #restIfUnknown(response: TrieResponse | undefined): void {
    if (response?.kind === 'unknown') this.#rest(response.reason)
  }

  /** The thread misses a diff from now on. It is restarted one block later, then after two, four, ... blocks. */
  #rest(reason: string): void {
    if (this.#phase === 'off') return
    this.#phase = 'off'
    const blocks = Math.min(LONGEST_REST, 2 ** this.#failures)
    this.#failures += 1
    this.#restsUntil = (this.#layers?.at(-1)?.number ?? 0) + blocks
    this.#deps.log.warn({ reason, blocks }, 'state roots are found in the thread of the sequencer for some blocks')
  }

  #resolveWaiting(): void {
    for (const [, cancel] of this.#waiting.entries()) cancel()
    this.#waiting.resolveAll(undefined)
  }
}

/** Changed accounts and slots. */
function sizeOf({ accounts, storage }: StateDiff): number {
  let changed = accounts.size
  for (const slots of storage.values()) changed += slots.size
  return changed
}
