import type { NodeEvents } from '../../node/core/events.ts'
import type { ServedNode } from '../../node/core/node-handle.ts'
import { DeliveryQueue } from '../../rpc/subscriptions/delivery-queue.ts'
import type { ServerLog } from '../http/http-service.ts'
import { FeedChannel, type FeedListener } from './feed-channel.ts'
import { type FeedFrame, FeedMessage } from './feed-message.ts'

/** How a subscriber takes the feed. */
export type FeedForm = 'text' | 'brotli'

export interface FeedDeps {
  readonly node: Pick<ServedNode, 'events' | 'view'>
  readonly log: ServerLog
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when the event loop has been round once: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

export interface FeedSubscription {
  /** Frames of the open block so far, from index 0 on, which come before what the listener hears. */
  readonly before: readonly FeedFrame[]
  /** The listener hears nothing more. */
  leave(): void
}

/** Bytes of frames that may wait for a turn: a few of the largest flashblocks. */
const MAX_WAITING = 32 * 1024 * 1024

/**
 * The public feed of flashblocks (spec-facts 6): every flashblock once, in order. Nothing is listened to or kept while
 * nobody subscribes.
 *
 * @example const { before, leave } = feed.subscribe('text', (frame) => socket.send(frame.bytes))
 */
export class FlashblockFeed {
  readonly #node: FeedDeps['node']
  readonly #channels: Readonly<Record<FeedForm, FeedChannel>>
  /** Of the open block, from index 0 on, while anybody listens. */
  #open: FeedMessage[] = []

  constructor(deps: FeedDeps) {
    this.#node = deps.node
    const channelParts = {
      deliveries: new DeliveryQueue<FeedFrame>({ maxWaiting: MAX_WAITING }, deps),
      log: deps.log,
    }
    this.#channels = {
      text: new FeedChannel({ isCompressed: false }, channelParts),
      brotli: new FeedChannel({ isCompressed: true }, channelParts),
    }
  }

  /** Subscribers by form. */
  get subscribers(): Readonly<Record<FeedForm, number>> {
    return { text: this.#channels.text.size, brotli: this.#channels.brotli.size }
  }

  /** Whoever comes hears the open block from its index 0 on: without that a consumer could do nothing until the next. */
  subscribe(form: FeedForm, listener: FeedListener): FeedSubscription {
    if (this.#isIdle()) {
      this.#open = this.#node.view().head.pending.layers.map((layer) => new FeedMessage(layer))
      this.#node.events.on('flashblock', this.#take)
    }
    const channel = this.#channels[form]
    const before = channel.join(listener, this.#open)
    return {
      before,
      leave: () => {
        channel.leave(listener)
        if (!this.#isIdle()) return
        this.#node.events.off('flashblock', this.#take)
        this.#open = []
      },
    }
  }

  /** In the step that announces: blocks that were taken back need no more than that the one that follows begins at 0. */
  #take = ({ layer }: NodeEvents['flashblock'][0]): void => {
    const message = new FeedMessage(layer)
    if (layer.index === 0) this.#open = []
    this.#open.push(message)
    for (const channel of Object.values(this.#channels)) channel.push(message)
  }

  #isIdle(): boolean {
    return this.#channels.text.size === 0 && this.#channels.brotli.size === 0
  }
}
