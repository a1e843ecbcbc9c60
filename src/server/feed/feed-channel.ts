import type { OnFlashblockDelivered } from '../../node/view/events.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { DeliveryQueue } from '../../rpc/subscriptions/delivery-queue.ts'
import { type Listener, Listeners } from '../../rpc/subscriptions/listeners.ts'
import type { ServerLog } from '../http/exchange.ts'
import type { FeedFrame, FeedMessage } from './feed-message.ts'

export type FeedListener = Listener<FeedFrame>

interface Options {
  /** Whether frames are Brotli (binary) or text. */
  readonly isCompressed: boolean
}

interface Deps {
  readonly deliveries: DeliveryQueue<FeedFrame>
  readonly log: ServerLog
  readonly onFlashblockDelivered?: OnFlashblockDelivered | undefined
}

/**
 * The subscribers of one form of the feed. Messages are sent in order, whatever each one's compression takes. Those of
 * the open block are kept for later subscribers.
 */
export class FeedChannel {
  readonly #options: Options
  readonly #deps: Deps
  readonly #listeners = new Listeners<FeedFrame>()
  /** Messages that are being compressed. */
  readonly #waiting: FeedMessage[] = []
  /** Messages of the newest block, from index 0. */
  #sent: FeedFrame[] = []
  #isCompressing = false

  constructor(options: Options, deps: Deps) {
    this.#options = options
    this.#deps = deps
  }

  /** Listeners. */
  get size(): number {
    return this.#listeners.size
  }

  /**
   * @param open messages of the open block so far, used when the channel had no listener
   * @returns the messages before the first frame that the listener receives
   */
  join(listener: FeedListener, open: readonly FeedMessage[]): readonly FeedFrame[] {
    const isFirst = this.#listeners.size === 0
    this.#listeners.add(listener)
    if (!isFirst) return [...this.#sent]
    this.#sent = []
    this.#waiting.length = 0
    if (this.#options.isCompressed) {
      // The listener receives these messages once they are compressed.
      for (const message of open) this.push(message)
      return []
    }
    this.#sent = open.map(textFrame)
    return [...this.#sent]
  }

  leave(listener: FeedListener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    this.#sent = []
    this.#waiting.length = 0
  }

  /** Adds the next message; ignored without listeners. */
  push(message: FeedMessage): void {
    if (this.#listeners.size === 0) return
    if (!this.#options.isCompressed) {
      this.#notify(textFrame(message))
      return
    }
    this.#waiting.push(message)
    if (!this.#isCompressing) void this.#compressAll()
  }

  async #compressAll(): Promise<void> {
    this.#isCompressing = true
    for (let message = this.#waiting[0]; message !== undefined; message = this.#waiting[0]) {
      const bytes = await this.#compressed(message)
      // Listeners may have left and joined during compression.
      if (this.#waiting[0] !== message) continue
      this.#waiting.shift()
      this.#notify({ message, bytes, isBinary: true, size: bytes.length })
    }
    this.#isCompressing = false
  }

  /**
   * Sends text when compression fails: readers distinguish text from Brotli by the first byte, and no message may be
   * omitted.
   */
  async #compressed(message: FeedMessage): Promise<Bytes> {
    try {
      return await message.compressed()
    } catch (error) {
      this.#deps.log.error({ err: error }, 'a flashblock could not be compressed and goes out as it is')
      return message.text
    }
  }

  #notify(frame: FeedFrame): void {
    if (frame.message.index === 0) this.#sent = []
    this.#sent.push(frame)
    const { deliveries, onFlashblockDelivered } = this.#deps
    deliveries.push([frame], this.#listeners, onFlashblockDelivered && (() => onFlashblockDelivered(frame.message)))
  }
}

function textFrame(message: FeedMessage): FeedFrame {
  return { message, bytes: message.text, isBinary: false, size: message.text.length }
}
