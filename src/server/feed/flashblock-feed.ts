import { isDenimBlock } from '../../chain/forks/denim-schedule.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import type { NodeEvents, OnFlashblockDelivered } from '../../node/view/events.ts'
import { DeliveryQueue } from '../../rpc/subscriptions/delivery-queue.ts'
import type { Layer } from '../../state/layer.ts'
import type { ServerLog } from '../http/exchange.ts'
import { FeedChannel, type FeedListener } from './feed-channel.ts'
import { type FeedFrame, FeedMessage } from './feed-message.ts'

/** Form in which a subscriber receives the feed. */
export type FeedForm = 'text' | 'brotli'

export interface FeedDeps {
  readonly node: Pick<ServedNode, 'config' | 'events' | 'view'>
  readonly log: ServerLog
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action after one round of the event loop: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
  readonly onFlashblockDelivered?: OnFlashblockDelivered | undefined
}

export interface FeedSubscription {
  /** Frames of the open block so far, from index 0, which precede those of the listener. */
  readonly before: readonly FeedFrame[]
  /** Ends the subscription. */
  leave(): void
}

/** Bytes of frames that may be queued: a few of the largest flashblocks. */
export const MAX_WAITING_FRAME_BYTES = 32 * 1024 * 1024

/**
 * The public feed: every flashblock once, in order. Without subscribers it does not listen to the node.
 *
 * @example const { before, leave } = feed.subscribe('text', (frame) => socket.send(frame.bytes))
 */
export class FlashblockFeed {
  readonly #node: FeedDeps['node']
  readonly #channels: Readonly<Record<FeedForm, FeedChannel>>
  /** Messages of the open block from index 0, while there are subscribers. */
  #open: FeedMessage[] = []

  constructor(deps: FeedDeps) {
    this.#node = deps.node
    const channelParts = {
      deliveries: new DeliveryQueue<FeedFrame>({ maxWaiting: MAX_WAITING_FRAME_BYTES }, deps),
      log: deps.log,
      onFlashblockDelivered: deps.onFlashblockDelivered,
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

  /** New subscribers receive the open block from its index 0, which they need to follow it. */
  subscribe(form: FeedForm, listener: FeedListener): FeedSubscription {
    if (this.#isIdle()) {
      const { layers } = this.#node.view().head.pending
      this.#open = layers.filter((layer) => this.#hasMessage(layer)).map((layer) => new FeedMessage(layer))
      this.#node.events.on('flashblock', this.#take)
    }
    const channel = this.#channels[form]
    const before = channel.join(listener, this.#open)
    return {
      // The channel keeps the messages of the last block that had some.
      before: this.#open.length === 0 ? [] : before,
      leave: () => {
        channel.leave(listener)
        if (!this.#isIdle()) return
        this.#node.events.off('flashblock', this.#take)
        this.#open = []
      },
    }
  }

  /** Part of the announcing step. Unwound blocks need no message: the next block starts at index 0. */
  #take = ({ layer }: NodeEvents['flashblock'][0]): void => {
    if (layer.index === 0) this.#open = []
    if (!this.#hasMessage(layer)) return
    const message = new FeedMessage(layer)
    this.#open.push(message)
    for (const channel of Object.values(this.#channels)) channel.push(message)
  }

  /** Denim blocks come whole: they have no messages. */
  #hasMessage({ header }: Layer): boolean {
    return !isDenimBlock(header.number, this.#node.config)
  }

  #isIdle(): boolean {
    return this.#channels.text.size === 0 && this.#channels.brotli.size === 0
  }
}
