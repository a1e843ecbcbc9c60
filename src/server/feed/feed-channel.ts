import type { Bytes } from '../../primitives/hex.ts'
import type { DeliveryQueue } from '../../rpc/subscriptions/delivery-queue.ts'
import { type Listener, Listeners } from '../../rpc/subscriptions/listeners.ts'
import type { ServerLog } from '../http/http-service.ts'
import type { FeedFrame, FeedMessage } from './feed-message.ts'

export type FeedListener = Listener<FeedFrame>

interface Options {
  /** Whether frames are binary and hold Brotli; otherwise they are text. */
  readonly isCompressed: boolean
}

interface Deps {
  readonly deliveries: DeliveryQueue<FeedFrame>
  readonly log: ServerLog
}

/**
 * All who take the feed in one form. Messages leave in the order in which they came, whatever compressing one takes; what
 * left of the open block is kept for those who come later.
 */
export class FeedChannel {
  readonly #options: Options
  readonly #deps: Deps
  readonly #listeners = new Listeners<FeedFrame>()
  /** Not compressed yet. */
  readonly #waiting: FeedMessage[] = []
  /** Of the newest block, from index 0 on. */
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
   * @param open messages of the open block so far, which the channel takes from here when nobody has listened before
   * @returns what comes before the first frame that the listener hears
   */
  join(listener: FeedListener, open: readonly FeedMessage[]): readonly FeedFrame[] {
    const isFirst = this.#listeners.size === 0
    this.#listeners.add(listener)
    if (!isFirst) return [...this.#sent]
    this.#sent = []
    this.#waiting.length = 0
    if (this.#options.isCompressed) {
      // The listener hears them as they are ready, like all that come.
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

  /** The next message; it is nothing to a channel that nobody listens to. */
  push(message: FeedMessage): void {
    if (this.#listeners.size === 0) return
    if (!this.#options.isCompressed) {
      this.#tell(textFrame(message))
      return
    }
    this.#waiting.push(message)
    if (!this.#isCompressing) void this.#compressAll()
  }

  async #compressAll(): Promise<void> {
    this.#isCompressing = true
    for (let message = this.#waiting[0]; message !== undefined; message = this.#waiting[0]) {
      const bytes = await this.#compressed(message)
      // Everybody may have left in the meantime, and others come.
      if (this.#waiting[0] !== message) continue
      this.#waiting.shift()
      this.#tell({ message, bytes, isBinary: true, size: bytes.length })
    }
    this.#isCompressing = false
  }

  /** A reader tells text from Brotli by its first byte (spec-facts 6.2): a message is never left out. */
  async #compressed(message: FeedMessage): Promise<Bytes> {
    try {
      return await message.compressed()
    } catch (error) {
      this.#deps.log.error({ err: error }, 'a flashblock could not be compressed and goes out as it is')
      return message.text
    }
  }

  #tell(frame: FeedFrame): void {
    if (frame.message.index === 0) this.#sent = []
    this.#sent.push(frame)
    this.#deps.deliveries.push([frame], this.#listeners)
  }
}

function textFrame(message: FeedMessage): FeedFrame {
  return { message, bytes: message.text, isBinary: false, size: message.text.length }
}
