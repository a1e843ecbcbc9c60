import type { Address } from '../../primitives/hex.ts'
import type { BodyStream } from '../http/rest-service.ts'
import { StatusError } from '../http/status.ts'
import type { Registry } from '../tokenized-stocks/registry.ts'
import type { ChangeFollower, ChangeOrigin, EventLog } from './change-origin.ts'
import { EventBody } from './event-body.ts'

/** Milliseconds between comments to subscribers. */
const KEEP_ALIVE_MS = 15_000
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

interface Deps {
  readonly origin: ChangeOrigin
  readonly registry: () => Registry
  readonly log: EventLog
}

interface Following {
  readonly registry: Registry
  readonly follower: ChangeFollower
  /** Reading that is in progress. */
  advancing: Promise<void> | undefined
}

/**
 * Changes of the listed tokens as events for subscribers. Without subscribers it reads nothing, and forgets the window
 * after a minute.
 */
export class StockEventHub {
  readonly #deps: Deps
  readonly #bodies = new Set<EventBody>()
  #following: Following | undefined
  #beginning: Promise<void> | undefined
  /** Changed by each reset: a beginning that was overtaken by one is discarded. */
  #generation = 0
  #stopWatching: (() => void) | undefined
  /** Whether the newest reading of news failed. */
  #isFailing = false
  #idleTimer: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * @throws StatusError `outOfRange` when the events behind `lastEventId` are not kept; errors of the source
   */
  async open({ lastEventId, tokens }: EventRequest): Promise<BodyStream> {
    // Restarted whenever a subscriber leaves.
    this.#awaitIdle()
    const follower = await this.#follow()
    const { window } = follower
    const frame = lastEventId === undefined ? follower.start() : window.after(lastEventId)
    if (frame === undefined) throw new StatusError('outOfRange', NOT_KEPT)
    const id = lastEventId ?? window.idBefore(frame)
    const options = { frame, id, ready: follower.ready(), tokens }
    const body = new EventBody(options, { window, onClosed: (closed) => this.#leave(closed) })
    this.#join(body)
    return body
  }

  /** The events up to the newest change. */
  async #follow(): Promise<ChangeFollower> {
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
      if (this.#following !== undefined) return this.#following.follower
    }
    throw new StatusError('unavailable', 'the chain is being reorganised: try again')
  }

  async #begin(): Promise<void> {
    const registry = this.#deps.registry()
    const generation = this.#generation
    const follower = await this.#deps.origin.begin(registry)
    if (generation === this.#generation) this.#following = { registry, follower, advancing: undefined }
  }

  /** Reads on to the newest change. */
  async #advance(): Promise<void> {
    const following = this.#following
    if (following === undefined) return
    following.advancing ??= this.#advanceNow(following).finally(() => {
      following.advancing = undefined
    })
    await following.advancing
  }

  async #advanceNow(following: Following): Promise<void> {
    const wake = () => {
      for (const body of this.#bodies) body.wake()
    }
    const isFollowed = await following.follower.advance(wake)
    if (!isFollowed && this.#following === following) this.#reset()
  }

  readonly #onNews = (): void => {
    if (this.#bodies.size === 0 || this.#following === undefined) return
    this.#advance().then(
      () => this.#noteSuccess(),
      (error: unknown) => {
        if (error instanceof StatusError) {
          this.#noteFailure(error)
          return
        }
        this.#deps.log.error({ err: error }, 'the events of stocks cannot be read')
        this.#reset()
      },
    )
  }

  /** The chain cannot be read now: subscribers wait until it can. Logged only at the first failure in a row. */
  #noteFailure({ code, message }: StatusError): void {
    if (this.#isFailing) return
    this.#isFailing = true
    this.#deps.log.warn({ code, reason: message }, 'the events of stocks are delayed: the chain cannot be read')
  }

  #noteSuccess(): void {
    if (!this.#isFailing) return
    this.#isFailing = false
    this.#deps.log.warn({}, 'the events of stocks continue: the chain can be read again')
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
    if (this.#stopWatching !== undefined) return
    this.#stopWatching = this.#deps.origin.watch({ onNews: this.#onNews, onLost: () => this.#reset() })
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
    this.#stopWatching?.()
    this.#stopWatching = undefined
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
