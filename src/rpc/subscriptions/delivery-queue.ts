import type { RpcLog } from '../rpc-log.ts'
import { SLICE } from '../turn-queue.ts'
import type { SharedText } from './shared-text.ts'

/** Takes the end of a message, from its `result` on. */
export type Listener = (result: SharedText) => void

interface Options {
  /** Characters of messages that may wait for a turn; what comes above that goes out in one piece. */
  readonly maxWaiting: number
}

export interface DeliveryParts {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when the event loop has been round once: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
  readonly log: RpcLog
}

interface Delivery {
  readonly result: SharedText
  /** As they were when the message came, in the order in which they joined. */
  readonly to: readonly Listener[]
  readonly joined: ReadonlySet<Listener>
  next: number
}

/**
 * Hands messages to their listeners, in order, for a slice at a time: thousands of subscribers must not keep the
 * sequencer, or each other's requests, waiting (issue 5). The first slice is the caller's own, so that few of them hear at once.
 */
export class DeliveryQueue {
  readonly #options: Options
  readonly #parts: DeliveryParts
  readonly #waiting: Delivery[] = []
  #waitingCharacters = 0
  #isScheduled = false
  #isDelivering = false

  constructor(options: Options, parts: DeliveryParts) {
    this.#options = options
    this.#parts = parts
  }

  /** @param joined whoever leaves it in the meantime is not told */
  push(result: SharedText, joined: ReadonlySet<Listener>): void {
    this.#waiting.push({ result, to: [...joined], joined, next: 0 })
    this.#waitingCharacters += result.text.length
    if (this.#isDelivering) return
    if (this.#waitingCharacters > this.#options.maxWaiting) this.#deliver(Number.POSITIVE_INFINITY)
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
      this.#waitingCharacters -= delivery.result.text.length
    }
    this.#isDelivering = false
  }

  /** What goes wrong with one of them is not the others' fault, nor the sequencer's, in whose step this may run. */
  #tell(listener: Listener, { joined, result }: Delivery): void {
    if (!joined.has(listener)) return
    try {
      listener(result)
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
