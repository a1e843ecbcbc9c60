import type { Logger } from 'pino'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { TrieNodeWrites } from '../../state/trie/trie-node-source.ts'
import type { Clock } from '../core/clock.ts'
import { encodeLayerDiff, type LayerDiff } from './layer-diff.ts'
import { decodeNodeWrites } from './node-writes-codec.ts'
import type { TrieThread, TrieThreadData } from './start-trie-thread.ts'
import type { TrieRequest, TrieResponse } from './trie-messages.ts'

export interface RemoteTriesOptions {
  /** Changed accounts and slots of a flashblock that are worth another thread: the first with so many starts it. */
  readonly smallestDiff: number
  /** Milliseconds to wait for an answer: to begin, to apply a diff, and for the nodes of a block. */
  readonly limitsMs: { readonly begin: number; readonly apply: number; readonly writes: number }
}

export interface RemoteTriesDeps {
  readonly startThread: () => TrieThread
  readonly clock: Pick<Clock, 'monotonic' | 'at'>
  /** Yields to the event loop. */
  readonly yieldTurn: () => Promise<void>
  readonly log: Pick<Logger, 'warn'>
}

/** Most flashblocks of a laptop change less, and take less than a way to another thread and back. */
const SMALLEST_DIFF = 64
/**
 * A late answer is computed here: flashblocks and a shutdown wait for it. A block's nodes come in pieces between
 * them.
 */
const LIMITS = { begin: 30_000, apply: 2_000, writes: 10_000 }
/** Blocks after which a thread that cannot be had is tried again at the latest. */
const LONGEST_REST = 1_024

/** @returns `undefined` where there is to be no other thread */
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
    { smallestDiff: SMALLEST_DIFF, limitsMs: LIMITS },
    { startThread: () => startTrieThread(data), clock, log, yieldTurn },
  )
}

/**
 * Has the diffs of flashblocks applied to the state trie by another thread, which takes 20 microseconds a transaction
 * that the sequencer's has for others, and has it say what nodes to store. Whatever the thread cannot answer is done
 * here, and so is everything while flashblocks are small, or it has yet to begin.
 *
 * @example tries.begin(layers); const trie = await tries.apply(parent.trie, { number, diff }); tries.stored(number)
 */
export class RemoteTries {
  readonly #options: RemoteTriesOptions
  readonly #deps: RemoteTriesDeps
  /** Everything since the store, as long as flashblocks are made. */
  #layers: LayerDiff[] | undefined
  #thread: TrieThread | undefined
  /** Whether the thread receives diffs, and whether it answers yet. */
  #phase: 'off' | 'starting' | 'following' = 'off'
  #lastId = 0
  /** By the question's id; called with `undefined` if there is no answer. */
  readonly #waiting = new Map<number, (response: TrieResponse | undefined) => void>()
  /** Accounts to be read ahead, sent as one message. */
  #ahead: Address[] = []
  #failures = 0
  /** The first block that may try again. */
  #restsUntil = 0
  #isClosed = false

  constructor(options: RemoteTriesOptions, deps: RemoteTriesDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** @param layers what leads from the store to the flashblock that the next one follows, oldest first */
  begin(layers: readonly LayerDiff[]): void {
    this.end()
    if (!this.#isClosed) this.#layers = [...layers]
  }

  /** No flashblock follows until it begins again. */
  end(): void {
    if (this.#phase !== 'off') this.#thread?.post({ kind: 'end' })
    this.#phase = 'off'
    this.#layers = undefined
  }

  /** The trie with one more flashblock. @throws TrieNodeError */
  apply(before: StateTrie, layer: LayerDiff): MaybePromise<StateTrie> {
    const { diff } = layer
    if (diff.accounts.size === 0) return before
    if (this.#phase === 'off' && this.#isWorthIt(layer)) this.#follow()
    this.#layers?.push(layer)
    if (this.#phase === 'off') return before.apply(diff)
    const request = { kind: 'apply', before: before.root, layer: encodeLayerDiff(layer) } as const
    if (this.#phase === 'starting') {
      // Starting takes as long as a flashblock may.
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
   * Reads ahead what the next flashblock will walk through, for accounts that it changes.
   *
   * @returns false where that is left to this thread
   */
  prefetch(addresses: readonly Address[]): boolean {
    if (this.#phase !== 'following') return false
    if (this.#ahead.length === 0) void this.#deps.yieldTurn().then(() => this.#postPrefetch())
    this.#ahead.push(...addresses)
    return true
  }

  /**
   * The node writes that turn the stored trie with the root `before` into that of block `number`.
   *
   * @param root of that block's state
   * @returns `undefined` where this thread has to find out
   */
  async nodeWrites(before: Hash, number: number, root: Hash): Promise<TrieNodeWrites | undefined> {
    if (this.#phase !== 'following') return undefined
    const response = await this.#request(
      (id) => ({ kind: 'writes', id, before, number, root }),
      this.#options.limitsMs.writes,
    )
    return response?.kind === 'writes' ? decodeNodeWrites(response.writes) : undefined
  }

  /** The store has block `number` now. */
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
    await thread?.end()
  }

  #isWorthIt({ number, diff: { accounts, storage } }: LayerDiff): boolean {
    if (this.#layers === undefined || number < this.#restsUntil) return false
    let changed = accounts.size
    for (const slots of storage.values()) changed += slots.size
    return changed >= this.#options.smallestDiff
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

  /** One diff after the other: what the thread had may be all that is above the store. */
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
    return new Promise((resolve) => {
      const id = ++this.#lastId
      const thread = this.#thread!
      const cancel =
        limit === undefined
          ? () => {}
          : clock.at(clock.monotonic() + limit, () => {
              this.#fail(new Error(`it has not answered for ${limit} ms`))
              void thread.end()
            })
      this.#waiting.set(id, (response) => {
        cancel()
        resolve(response)
      })
      thread.post(request(id))
    })
  }

  #receive(response: TrieResponse): void {
    const resolve = this.#waiting.get(response.id)
    this.#waiting.delete(response.id)
    resolve?.(response)
  }

  /** Without the thread it is slower, not wrong. */
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
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const resolve of waiting) resolve(undefined)
  }
}
