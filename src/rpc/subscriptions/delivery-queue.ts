import type { RpcLog } from '../rpc-log.ts'
import { SLICE } from '../turn-queue.ts'
import type { Listener, Listeners } from './listeners.ts'

interface Options {
  /** In the unit of the messages' size: what may wait for a turn; what comes above that goes out in one piece. */
  readonly maxWaiting: number
}

export interface DeliveryParts {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when the event loop has been round once: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
  readonly log: RpcLog
}

interface Delivery<Message> {
  readonly message: Message
  /** As they were when the message came. */
  readonly to: readonly Listener<Message>[]
  readonly joined: Listeners<Message>
  next: number
}

/**
 * Hands messages to their listeners, in order, for a slice at a time: thousands of subscribers must not keep the
 * sequencer, or each other's requests, waiting (issue 5). The first slice is the caller's own, so that few of them hear at once.
 */
export class DeliveryQueue<Message extends { readonly size: number }> {
  readonly #options: Options
  readonly #parts: DeliveryParts
  readonly #waiting: Delivery<Message>[] = []
  #waitingSize = 0
  #isScheduled = false
  #isDelivering = false

  constructor(options: Options, parts: DeliveryParts) {
    this.#options = options
    this.#parts = parts
  }

  /** @param joined whoever leaves it in the meantime is not told */
  push(message: Message, joined: Listeners<Message>): void {
    this.#waiting.push({ message, to: joined.list, joined, next: 0 })
    this.#waitingSize += message.size
    if (this.#isDelivering) return
    if (this.#waitingSize > this.#options.maxWaiting) this.#deliver(Number.POSITIVE_INFINITY)
    else if (!this.#isScheduled) this.#deliver(this.#parts.now() + SLICE)
  }

  #deliver(end: number): void {
    this.#isDelivering = true
    for (let delivery = this.#waiting[0]; delivery !== undefined; delivery = this.#waiting[0]) {
      for (; delivery.next < delivery.to.length; delivery.next++) {
        if (this.#parts.now() >= end) {
          this.#isDelivering = false
          this.#schedule()
          return
        }
        this.#tell(delivery.to[delivery.next]!, delivery)
      }
      this.#waiting.shift()
      this.#waitingSize -= delivery.message.size
    }
    this.#isDelivering = false
  }

  /** What goes wrong with one of them is not the others' fault, nor the sequencer's, in whose step this may run. */
  #tell(listener: Listener<Message>, { joined, message }: Delivery<Message>): void {
    if (!joined.has(listener)) return
    try {
      listener(message)
    } catch (error) {
      this.#parts.log.error({ err: error }, 'a subscription message could not be sent')
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#parts.nextRound(() => {
      this.#isScheduled = false
      this.#deliver(this.#parts.now() + SLICE)
    })
  }
}
