import { blockArrival, flashblockArrival } from '../model/flashblock-arrival.ts'
import { EMPTY_TIMELINE, nextTimeline, type Timeline, type TimelineEvent } from '../model/timeline.ts'
import type { NodeClient } from './node-client.ts'
import { Store } from './store.ts'

/** The announced chain, as the page shows it. */
export interface LiveState {
  /** `blocks`: the node announces sealed blocks only. */
  readonly mode: 'starting' | 'flashblocks' | 'blocks'
  readonly timeline: Timeline
  readonly isPaused: boolean
  /** Events that wait while paused. */
  readonly queued: number
  /** Events that no longer fit into the queue. */
  readonly forgotten: number
}

export interface LiveFeedDeps {
  readonly client: Pick<NodeClient, 'subscribe' | 'request' | 'connection'>
  readonly now: () => number
  readonly after: (milliseconds: number, action: () => void) => () => void
}

/** Two minutes of flashblocks. */
const MAX_QUEUED = 600
/** Between reads of the newest block of a node without WebSocket. */
const POLL_MS = 2_000

/** Follows the flashblocks of a node, or its blocks where it has none, and can pause what is shown. */
export class LiveFeed {
  readonly state = new Store<LiveState>({
    mode: 'starting',
    timeline: EMPTY_TIMELINE,
    isPaused: false,
    queued: 0,
    forgotten: 0,
  })
  readonly #deps: LiveFeedDeps
  #queue: TimelineEvent[] = []
  #newest: string | undefined
  readonly #ends: (() => void)[] = []

  constructor(deps: LiveFeedDeps) {
    this.#deps = deps
  }

  start(): void {
    const { client, now } = this.#deps
    this.#ends.push(
      client.subscribe(['newFlashblocks', { raw: true }], {
        onStart: () => this.#setMode('flashblocks'),
        onResult: (message) => {
          const arrival = flashblockArrival(message, now())
          if (arrival !== undefined) this.#happened({ kind: 'flashblock', arrival })
        },
        onLost: () => this.#happened({ kind: 'lost' }),
        onRefused: () => this.#followBlocks(),
      }),
    )
    this.#poll()
  }

  stop(): void {
    for (const end of this.#ends) end()
  }

  pause(): void {
    this.state.update((before) => ({ ...before, isPaused: true }))
  }

  /** Shows everything that waited. */
  resume(): void {
    const waiting = this.#queue
    this.#queue = []
    this.state.update((before) => ({
      ...before,
      timeline: waiting.reduce(nextTimeline, before.timeline),
      isPaused: false,
      queued: 0,
      forgotten: 0,
    }))
  }

  /** While paused, shows the next event that waits. */
  step(): void {
    const next = this.#queue.shift()
    if (next === undefined) return
    this.state.update((before) => ({
      ...before,
      timeline: nextTimeline(before.timeline, next),
      queued: this.#queue.length,
    }))
  }

  /** A node that does not know flashblocks announces sealed blocks. */
  #followBlocks(): void {
    if (this.state.value.mode === 'blocks') return
    this.#setMode('blocks')
    const readLatest = () => void this.#readBlock('eth_getBlockByNumber', 'latest')
    this.#ends.push(
      this.#deps.client.subscribe(['newHeads'], {
        onStart: readLatest,
        onResult: (head) => {
          const { hash } = (head ?? {}) as { hash?: unknown }
          if (typeof hash === 'string') void this.#readBlock('eth_getBlockByHash', hash)
        },
        onLost: () => this.#happened({ kind: 'lost' }),
      }),
    )
  }

  async #readBlock(method: string, id: string): Promise<void> {
    const block = await this.#deps.client.request(method, [id, true]).catch(() => undefined)
    const arrival = blockArrival(block, this.#deps.now())
    if (arrival === undefined || arrival.blockHash === this.#newest) return
    this.#newest = arrival.blockHash
    this.#happened({ kind: 'flashblock', arrival })
  }

  /** Without a WebSocket nothing is announced. */
  #poll(): void {
    const cancel = this.#deps.after(POLL_MS, () => {
      this.#ends.splice(this.#ends.indexOf(cancel), 1)
      // A node with flashblocks has a WebSocket, which is about to open again.
      if (this.#deps.client.connection.value.kind === 'polling' && this.state.value.mode !== 'flashblocks') {
        this.#setMode('blocks')
        void this.#readBlock('eth_getBlockByNumber', 'latest')
      }
      this.#poll()
    })
    this.#ends.push(cancel)
  }

  #setMode(mode: LiveState['mode']): void {
    this.state.update((before) => ({ ...before, mode }))
  }

  #happened(event: TimelineEvent): void {
    const { isPaused } = this.state.value
    if (!isPaused) {
      this.state.update((before) => ({ ...before, timeline: nextTimeline(before.timeline, event) }))
      return
    }
    this.#queue.push(event)
    const isFull = this.#queue.length > MAX_QUEUED
    if (isFull) this.#queue.shift()
    this.state.update((before) => ({
      ...before,
      queued: this.#queue.length,
      forgotten: before.forgotten + (isFull ? 1 : 0),
    }))
  }
}

/** Height of the newest block, counting the open one. */
export function newestHeight({ timeline }: LiveState): number | undefined {
  return timeline.open?.number ?? timeline.sealed.at(-1)?.number
}

/** Changes whenever the node announces a flashblock or a block. */
export function tickOf({ timeline }: LiveState): string {
  const { open } = timeline
  return open === undefined ? '' : `${open.hash} ${open.slots.length}`
}
