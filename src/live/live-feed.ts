import { hashIn, numberOf, objectIn } from './amount.ts'
import { blockArrival, type FlashblockArrival, flashblockArrival, type TransactionCodec } from './flashblock-arrival.ts'
import type { NodeClient } from './node-client.ts'
import { NO_VISIBILITY, SentToVisible, type Visibility } from './sent-to-visible.ts'
import { Store } from './store.ts'
import {
  arrivedBlock,
  EMPTY_TIMELINE,
  newestIn,
  nextTimeline,
  type Timeline,
  type TimelineBlock,
  type TimelineEvent,
} from './timeline.ts'

/** The announced chain, as the page shows it. */
export interface LiveState {
  /** `blocks`: the node announces sealed blocks only. */
  readonly mode: 'starting' | 'flashblocks' | 'blocks'
  /** The chain as it is now. */
  readonly timeline: Timeline
  /** The chain as the live view shows it, which can be paused. */
  readonly shown: Timeline
  /** Blocks before the first announced one, oldest first, for views that would begin empty. */
  readonly past: readonly TimelineBlock[]
  readonly isPaused: boolean
  /** Events that wait while paused. */
  readonly queued: number
  /** Events that no longer fit into the queue. */
  readonly forgotten: number
  /** How long transactions took from being sent to being visible; it goes on while paused. */
  readonly visibility: Visibility
}

export interface LiveFeedDeps {
  readonly client: Pick<NodeClient, 'subscribe' | 'request' | 'connection' | 'onSent'>
  readonly now: () => number
  readonly after: (milliseconds: number, action: () => void) => () => void
  readonly codec: TransactionCodec
}

/** Two minutes of flashblocks. */
const MAX_QUEUED = 600
/** Heads whose blocks are still to be read; older ones are skipped. */
const MAX_UNREAD = 30
/** Between looks whether anything was announced. */
const POLL_MS = 2_000
/** Silence of a lost WebSocket after which blocks are read without it. */
const QUIET_MS = 5_000

/** Blocks before the first announced one that are read, so that a new client does not begin with an empty view. */
const MAX_PAST = 8
/** Newest of them whose transactions are read; those of a busy chain are large. */
const MAX_PAST_DETAILED = 4

/** A block to be read. */
interface UnreadBlock {
  readonly method: string
  readonly id: string
  /** When the node announced it; `undefined` if the client looks by itself. */
  readonly announcedAt?: number
}

const LATEST: UnreadBlock = { method: 'eth_getBlockByNumber', id: 'latest' }

/**
 * Follows the flashblocks of a node, and its blocks while no flashblock announces them. Chains without flashblocks
 * may accept their subscription and never notify (Base after Denim), so only an arrived flashblock shows that there
 * are some.
 */
export class LiveFeed {
  readonly state = new Store<LiveState>({
    mode: 'starting',
    timeline: EMPTY_TIMELINE,
    shown: EMPTY_TIMELINE,
    past: [],
    isPaused: false,
    queued: 0,
    forgotten: 0,
    visibility: NO_VISIBILITY,
  })
  readonly #deps: LiveFeedDeps
  readonly #visibility = new SentToVisible()
  #queue: TimelineEvent[] = []
  #unread: UnreadBlock[] = []
  #isReading = false
  /** Hash of the newest block that was read. */
  #newest: string | undefined
  /** Height of the newest flashblock since the connection opened. */
  #flashblockHeight: number | undefined
  /** When the node last announced anything. */
  #announcedAt: number
  #hasPast = false
  /** Lost connections: the next one may be of another node, or of a chain that went on. */
  #losses = 0
  readonly #ends: (() => void)[] = []

  constructor(deps: LiveFeedDeps) {
    this.#deps = deps
    this.#announcedAt = deps.now()
  }

  start(): void {
    const { client } = this.#deps
    this.#ends.push(
      client.subscribe(['newFlashblocks', { raw: true }], {
        onResult: (message) => this.#receiveFlashblock(message),
        onLost: () => this.#lose(),
        onRefused: () => this.#read(LATEST),
      }),
      client.subscribe(['newHeads'], {
        onStart: () => {
          if (this.state.value.mode === 'blocks') this.#read(LATEST)
        },
        onResult: (head) => this.#receiveHead(head),
        onLost: () => this.#lose(),
      }),
      client.subscribe(['newPendingTransactions'], {
        onResult: (json) => {
          const hash = hashIn(json)
          if (hash !== undefined) this.#sent(hash, this.#deps.now())
        },
      }),
      client.onSent((hash, at) => this.#sent(hash, at)),
    )
    this.#poll()
  }

  stop(): void {
    for (const end of this.#ends) end()
  }

  /** When a transaction was sent or announced as pooled, as far as this is still known. */
  sentAt(hash: string): number | undefined {
    return this.#visibility.sentAt(hash)
  }

  /** Pauses the live view; `timeline` goes on. */
  pause(): void {
    this.state.update((before) => ({ ...before, isPaused: true }))
  }

  /** Shows everything that waited. */
  resume(): void {
    this.#queue = []
    this.state.update((before) => ({
      ...before,
      shown: before.timeline,
      isPaused: false,
      queued: 0,
      forgotten: 0,
    }))
  }

  /** While paused, shows the next flashblock that waits. */
  step(): void {
    let { shown } = this.state.value
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      shown = nextTimeline(shown, next)
      if (next.kind !== 'sealed') break
    }
    this.state.update((before) => ({ ...before, shown, queued: this.#queue.length }))
  }

  #sent(hash: string, at: number): void {
    const visibility = this.#visibility.sent(hash, at)
    this.state.update((before) => (before.visibility === visibility ? before : { ...before, visibility }))
  }

  #receiveFlashblock(message: unknown): void {
    const arrival = flashblockArrival(message, this.#deps.now(), this.#deps.codec)
    if (arrival === undefined) return
    this.#announcedAt = arrival.arrivedAt
    this.#flashblockHeight = arrival.blockNumber
    this.#show(arrival, 'flashblocks')
  }

  #receiveHead(head: unknown): void {
    const { hash: json, number } = objectIn(head)
    const hash = hashIn(json)
    const height = numberOf(number)
    if (hash === undefined || height === undefined) return
    const announcedAt = this.#deps.now()
    this.#announcedAt = announcedAt
    if (this.#isAnnounced(height)) this.#happened({ kind: 'sealed', number: height, at: announcedAt })
    else this.#read({ method: 'eth_getBlockByHash', id: hash, announcedAt })
  }

  #lose(): void {
    this.#flashblockHeight = undefined
    this.#losses += 1
    this.#hasPast = false
    this.#visibility.lost()
    this.state.update((before) => (before.past.length === 0 ? before : { ...before, past: [] }))
    this.#happened({ kind: 'lost' })
  }

  /** Whether flashblocks have announced the block of a height. */
  #isAnnounced(height: number): boolean {
    return this.#flashblockHeight !== undefined && height <= this.#flashblockHeight
  }

  /** Reads blocks one after the other: their responses could overtake each other. */
  #read(block: UnreadBlock): void {
    this.#unread = [...this.#unread, block].slice(-MAX_UNREAD)
    if (!this.#isReading) void this.#readAll()
  }

  async #readAll(): Promise<void> {
    this.#isReading = true
    try {
      for (let next = this.#unread.shift(); next !== undefined; next = this.#unread.shift()) {
        const { method, id, announcedAt } = next
        const block = await this.#deps.client.request(method, [id, true]).catch(() => undefined)
        const arrival = blockArrival(block, announcedAt ?? this.#deps.now(), announcedAt === undefined)
        if (arrival !== undefined && !this.#isAnnounced(arrival.blockNumber)) this.#receiveBlock(arrival)
      }
    } finally {
      this.#isReading = false
    }
  }

  #receiveBlock(arrival: FlashblockArrival): void {
    if (arrival.blockHash === this.#newest) return
    this.#newest = arrival.blockHash
    this.#show(arrival, 'blocks')
  }

  /** Reads the newest block of a node that has announced nothing yet, or cannot without a WebSocket. */
  #poll(): void {
    const cancel = this.#deps.after(POLL_MS, () => {
      this.#ends.splice(this.#ends.indexOf(cancel), 1)
      if (this.#isSilent()) this.#read(LATEST)
      this.#poll()
    })
    this.#ends.push(cancel)
  }

  #isSilent(): boolean {
    const { mode } = this.state.value
    const { kind } = this.#deps.client.connection.value
    if (kind === 'live') return mode !== 'blocks' && this.#flashblockHeight === undefined
    if (kind !== 'polling') return false
    // The WebSocket of a node with flashblocks is usually about to open again.
    return mode !== 'flashblocks' || this.#deps.now() - this.#announcedAt >= QUIET_MS
  }

  #show(arrival: FlashblockArrival, mode: LiveState['mode']): void {
    const visibility = this.#visibility.arrived(arrival)
    this.state.update((before) => ({ ...before, mode, visibility }))
    this.#happened({ kind: 'flashblock', arrival })
    if (this.#hasPast) return
    this.#hasPast = true
    void this.#readPast(arrival.blockNumber)
  }

  /** Reads the blocks below a height, which this client has not seen. A node that refuses leaves them out. */
  async #readPast(below: number): Promise<void> {
    const losses = this.#losses
    const heights = Array.from({ length: Math.min(MAX_PAST, below) }, (_, index) => below - 1 - index)
    const blocks = await Promise.all(
      heights.map((height, age) =>
        this.#deps.client
          .request('eth_getBlockByNumber', [`0x${height.toString(16)}`, age < MAX_PAST_DETAILED])
          .catch(() => undefined),
      ),
    )
    if (this.#losses !== losses) return
    const arrivals = blocks.flatMap((block) => pastArrival(block, this.#deps.now()) ?? []).reverse()
    this.state.update((before) => ({ ...before, past: arrivals.map((arrival) => arrivedBlock(arrival)) }))
  }

  #happened(event: TimelineEvent): void {
    const { isPaused, timeline: known } = this.state.value
    const timeline = nextTimeline(known, event)
    if (timeline === known) return
    if (!isPaused) {
      this.state.update((before) => ({ ...before, timeline, shown: timeline }))
      return
    }
    this.#queue.push(event)
    const isFull = this.#queue.length > MAX_QUEUED
    if (isFull) this.#queue.shift()
    this.state.update((before) => ({
      ...before,
      timeline,
      queued: this.#queue.length,
      forgotten: before.forgotten + (isFull ? 1 : 0),
    }))
  }
}

/** A block as if it had arrived at its own time, so that rates count it; chains may have blocks in the future. */
function pastArrival(block: unknown, now: number): FlashblockArrival | undefined {
  const arrival = blockArrival(block, now, true)
  const time = Number(arrival?.base?.timestamp ?? 0n) * 1_000
  return arrival === undefined ? undefined : { ...arrival, arrivedAt: Math.min(time, now) }
}

/** Height of the newest block, counting the open one. */
export function newestHeight({ timeline }: LiveState): number | undefined {
  return newestIn(timeline)
}

/** Height of the open block; `undefined` while the newest block is sealed. */
export function openHeight({ timeline: { open } }: LiveState): number | undefined {
  return open?.isSealed === false ? open.number : undefined
}

/** Changes whenever the node announces a flashblock or a block. */
export function tickOf({ timeline }: LiveState): string {
  const { open } = timeline
  return open === undefined ? '' : `${open.hash} ${open.slots.length} ${open.isSealed}`
}
