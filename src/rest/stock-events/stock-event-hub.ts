import {
  type NumberedLogs,
  openStoredRecords,
  type RecordLogFilter,
  readLogs,
  type StoredRecords,
} from '../../node/log/record-history.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import { type BlockReference, PENDING } from '../../node/view/block-reference.ts'
import type { NodeEvents } from '../../node/view/events.ts'
import type { Address } from '../../primitives/hex.ts'
import type { BodyStream } from '../http/rest-service.ts'
import { StatusError } from '../http/status.ts'
import { type ChainReads, type ChainSource, readAt, type SourceBlock } from '../tokenized-stocks/chain-source.ts'
import type { Registry } from '../tokenized-stocks/registry.ts'
import { beginningIn } from './beginning.ts'
import { ChangeWindow } from './change-window.ts'
import { EventBody } from './event-body.ts'
import { FollowedChain, FollowedLogs } from './followed-chain.ts'
import { readFollowed, statesBefore, type UnreadToken } from './read-followed.ts'

/** Records whose events are kept, at least: half an hour of an idle chain. */
export const MAX_EVENT_RECORDS = 10_000
/** Events that are kept, at least. */
export const MAX_KEPT_EVENTS = 20_000
/** Milliseconds between comments to subscribers. */
const KEEP_ALIVE_MS = 15_000
/** Records that are read between yields. */
const RECORDS_PER_STEP = 32
/** Milliseconds that the window is kept after the last subscriber, who may come back. */
const IDLE_MS = 60_000
/** Beginnings during each of which the chain was reorganised. */
const MAX_BEGINNINGS = 5

export interface EventRequest {
  /** Id of the last event that the client received. */
  readonly lastEventId: string | undefined
  /** Only changes of these tokens; empty: of all. */
  readonly tokens: ReadonlySet<Address>
}

export interface StockEventsDeps {
  readonly node: Pick<ServedNode, 'view' | 'events'>
  /** The data directory of the node, with its records. */
  readonly directory: string
}

interface ServiceDeps extends StockEventsDeps {
  readonly source: ChainSource
  readonly registry: () => Registry
  readonly log: { error(details: object, message: string): void }
}

interface Following {
  readonly registry: Registry
  readonly records: StoredRecords
  readonly logs: FollowedLogs
  readonly chain: FollowedChain
  readonly window: ChangeWindow
  /** The next record. */
  next: number
}

/**
 * Changes of the listed tokens as events, read from the records of the node: the same records give the same events with
 * the same ids, on every node and after a restart. Without subscribers it reads nothing, and forgets the window after a
 * minute.
 */
export class StockEventHub {
  readonly #factory: Address | undefined
  readonly #deps: ServiceDeps
  readonly #bodies = new Set<EventBody>()
  #following: Following | undefined
  #beginning: Promise<void> | undefined
  /** Changed by each reset: a beginning that was overtaken by one is discarded. */
  #generation = 0
  #isListening = false
  #idleTimer: NodeJS.Timeout | undefined
  #advancing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor({ factory }: { readonly factory: Address | undefined }, deps: ServiceDeps) {
    this.#factory = factory
    this.#deps = deps
  }

  /**
   * @throws StatusError `outOfRange` when the events behind `lastEventId` are not kept; errors of the source
   */
  async open({ lastEventId, tokens }: EventRequest): Promise<BodyStream> {
    // Restarted whenever a subscriber leaves.
    this.#awaitIdle()
    await this.#follow()
    const { window } = this.#following!
    const { sealed, pending } = this.#deps.node.view().head
    const frame =
      lastEventId === undefined ? window.beginningOf(pending.block.header.number) : window.after(lastEventId)
    if (frame === undefined) throw new StatusError('outOfRange', NOT_KEPT)
    const { number, parentHash } = pending.block.header
    const ready = { changes: 'preconfirmed', block_number: sealed.latest, block_hash: number > 0 ? parentHash : null }
    const id = lastEventId ?? window.idBefore(frame)
    const body = new EventBody({ frame, id, ready, tokens }, { window, onClosed: (closed) => this.#leave(closed) })
    this.#join(body)
    return body
  }

  /** The events up to the newest shown record. */
  async #follow(): Promise<void> {
    for (let count = 0; count < MAX_BEGINNINGS; count++) {
      this.#checkRegistry()
      this.#listen()
      if (this.#following === undefined) {
        this.#beginning ??= this.#begin().finally(() => {
          this.#beginning = undefined
        })
        await this.#beginning
      }
      await this.#advance()
      if (this.#following !== undefined) return
    }
    throw new StatusError('unavailable', 'the chain is being reorganised: try again')
  }

  async #begin(): Promise<void> {
    const { node, source, registry: currentRegistry, directory } = this.#deps
    const registry = currentRegistry()
    const generation = this.#generation
    const options = { chainId: source.chainId, registry, factory: this.#factory }
    const view = node.view()
    const to = view.head.sequence
    const { block, receipts } = view.head.pending
    const followed = await this.#readAt(PENDING, (reads, at) => readFollowed(reads, at, options))
    this.#report(followed.unread)
    const records = openStoredRecords(directory)
    const logs = new FollowedLogs(followed)
    const begins = beginningIn((await scan(records, to)) ?? [], {
      oldestState: view.oldest().state,
      tokens: followed.states,
    })
    const window = new ChangeWindow({ maxRecords: MAX_EVENT_RECORDS, maxFrames: MAX_KEPT_EVENTS })
    if (begins === undefined) {
      const isEmpty = receipts.every((receipt) => receipt.logs.length === 0)
      const base = block.header.number - (isEmpty ? 1 : 0)
      const chain = new FollowedChain({ base, maxPoints: MAX_EVENT_RECORDS, readAt: to }, followed)
      if (generation === this.#generation) this.#following = { registry, records, logs, chain, window, next: to + 1 }
      return
    }
    const { number, parentHash, sequence } = begins
    const reference: BlockReference = { kind: 'hash', hash: parentHash, requireCanonical: true }
    const { states, refused } = await this.#readAt(reference, (reads, at) => statesBefore(reads, at, followed, options))
    this.#report(refused)
    const from = { base: number - 1, maxPoints: MAX_EVENT_RECORDS, readAt: to }
    const chain = new FollowedChain(from, { ...followed, states })
    // The records since then are read as later ones are, in steps.
    if (generation === this.#generation) this.#following = { registry, records, logs, chain, window, next: sequence }
  }

  #report(tokens: readonly UnreadToken[]): void {
    if (tokens.length > 0) this.#deps.log.error({ tokens }, 'these tokens have no events: their values cannot be read')
  }

  async #readAt<T>(reference: BlockReference, read: (reads: ChainReads, at: SourceBlock) => Promise<T>): Promise<T> {
    const found = this.#deps.source.block(reference)
    const at = found instanceof Promise ? await found : found
    if (at === undefined) throw new StatusError('unavailable', 'the chain is being reorganised: try again')
    return readAt(at, (reads) => read(reads, at))
  }

  /** Reads on to the newest shown record. */
  #advance(): Promise<void> {
    this.#advancing ??= this.#advanceNow().finally(() => {
      this.#advancing = undefined
    })
    return this.#advancing
  }

  async #advanceNow(): Promise<void> {
    for (;;) {
      const following = this.#following
      const to = this.#deps.node.view().head.sequence
      if (following === undefined || following.next === to + 1) return
      const { next: from, records, logs } = following
      const read = from > to ? undefined : readLogs(records, { from, to: Math.min(to, from + RECORDS_PER_STEP) }, logs)
      if (read === undefined || !applyAll(following, read)) {
        this.#reset()
        return
      }
      for (const body of this.#bodies) body.wake()
      if (read.length === 0) return
      if (following.next <= to) await nextRound()
    }
  }

  readonly #onBlocks = (): void => {
    if (this.#bodies.size === 0) return
    setImmediate(() => {
      this.#advance().catch((error: unknown) => {
        this.#deps.log.error({ err: error }, 'the events of stocks cannot be read')
        this.#reset()
      })
    })
  }

  readonly #onUnwound = ({ isComplete }: NodeEvents['unwound'][0]): void => {
    // After a snapshot the records are others.
    if (!isComplete) this.#reset()
  }

  #join(body: EventBody): void {
    this.#listen()
    this.#bodies.add(body)
  }

  #leave(body: EventBody): void {
    if (this.#bodies.delete(body)) this.#awaitIdle()
  }

  /** Listens as long as there is a window: a snapshot transfer makes it invalid also without subscribers. */
  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    const { events } = this.#deps.node
    events.on('flashblock', this.#onBlocks)
    events.on('unwound', this.#onUnwound)
    this.#timer = setInterval(() => this.#keepAlive(), KEEP_ALIVE_MS).unref()
  }

  #awaitIdle(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => this.#stop(), IDLE_MS).unref()
  }

  #stop(): void {
    if (this.#bodies.size > 0) return
    if (this.#beginning !== undefined) {
      this.#awaitIdle()
      return
    }
    const { events } = this.#deps.node
    this.#isListening = false
    events.off('flashblock', this.#onBlocks)
    events.off('unwound', this.#onUnwound)
    clearInterval(this.#timer)
    this.#reset()
  }

  #keepAlive(): void {
    this.#checkRegistry()
    for (const body of this.#bodies) body.keepAlive()
  }

  #checkRegistry(): void {
    if (this.#following !== undefined && this.#following.registry !== this.#deps.registry()) this.#reset()
  }

  /** The subscribers connect again and continue at their last id if it is still found. */
  #reset(): void {
    this.#generation += 1
    this.#following = undefined
    for (const body of this.#bodies) body.end()
  }
}

const NOT_KEPT =
  'the events after this id are not kept: read /v1/tokenized-stocks, then subscribe without Last-Event-ID and last_event_id'

/** @returns whether the records could be followed */
function applyAll(following: Following, read: readonly NumberedLogs[]): boolean {
  for (const { sequence, record } of read) {
    const step = following.chain.apply({ sequence, record })
    if (step === undefined) return false
    following.window.add(sequence, record, step)
    following.next = sequence + 1
  }
  return true
}

const NO_LOGS: RecordLogFilter = { note: () => undefined, isWanted: () => false }

/**
 * The newest retained records up to one, without logs, which may be too large to be in memory at once; `undefined`
 * when they are not all there.
 */
async function scan(records: StoredRecords, to: number): Promise<NumberedLogs[] | undefined> {
  const found: NumberedLogs[] = []
  const first = records.first() ?? to + 1
  for (let from = Math.max(first, to - MAX_EVENT_RECORDS); from <= to; ) {
    const read = readLogs(records, { from, to: Math.min(to, from + RECORDS_PER_STEP) }, NO_LOGS)
    if (read === undefined || read.length === 0) return undefined
    found.push(...read)
    from += read.length
    await nextRound()
  }
  return found
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
