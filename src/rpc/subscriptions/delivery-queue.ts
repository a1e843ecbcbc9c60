import type { RpcLog } from '../protocol/rpc-client.ts'
import { REQUEST_SLICE_MS } from '../scheduling/run-queue.ts'
import type { Listener, Listeners } from './listeners.ts'

interface Options {
  /** In units of the message size. Messages beyond it are delivered without yielding. */
  readonly maxWaiting: number
}

export interface DeliveryDeps {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when the event loop has been round once: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
  readonly log: RpcLog
}

interface Delivery<Message> {
  readonly messages: readonly Message[]
  /** Listeners at the time of the messages. */
  readonly to: readonly Listener<Message>[]
  readonly joined: Listeners<Message>
  readonly size: number
  /** Called once, after the first message is given to a listener. */
  onFirst: (() => void) | undefined
  /** Index of the current listener. */
  listener: number
  /** Index of its next message. */
  message: number
}

/**
 * Delivers messages in slices, so that thousands of subscribers do not delay the sequencer or requests. The first slice
 * is part of the caller's step, so that few subscribers are notified at once. Messages of one event go to one listener
 * after the other, so that a connection can write them together. Among several lists of listeners, the one with the
 * least remaining work goes first.
 */
export class DeliveryQueue<Message extends { readonly size: number }> {
  readonly #options: Options
  readonly #deps: DeliveryDeps
  readonly #waiting: Delivery<Message>[] = []
  #waitingSize = 0
  #isScheduled = false
  #isDelivering = false

  constructor(options: Options, deps: DeliveryDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * @param joined listeners that leave it before delivery get no message
   * @param onFirst called once a listener has the first message
   */
  push(messages: readonly Message[], joined: Listeners<Message>, onFirst?: () => void): void {
    const size = messages.reduce((sum, message) => sum + message.size, 0)
    this.#waiting.push({ messages, to: joined.list, joined, size, onFirst, listener: 0, message: 0 })
    this.#waitingSize += size
    if (this.#isDelivering) return
    if (this.#waitingSize > this.#options.maxWaiting) this.#deliver(Number.POSITIVE_INFINITY)
    else if (!this.#isScheduled) this.#deliver(this.#deps.now() + REQUEST_SLICE_MS)
  }

  #deliver(end: number): void {
    this.#isDelivering = true
    for (let delivery = this.#next(); delivery !== undefined; delivery = this.#next()) {
      if (!this.#deliverUntil(end, delivery)) {
        this.#isDelivering = false
        this.#schedule()
        return
      }
      this.#waiting.splice(this.#waiting.indexOf(delivery), 1)
      this.#waitingSize -= delivery.size
    }
    this.#isDelivering = false
  }

  /** Considers the oldest delivery of each list. */
  #next(): Delivery<Message> | undefined {
    const seen = new Set<Listeners<Message>>()
    let next: Delivery<Message> | undefined
    let least = Number.POSITIVE_INFINITY
    for (const delivery of this.#waiting) {
      const { joined, size, to, listener } = delivery
      if (seen.has(joined)) continue
      seen.add(joined)
      const left = size * (to.length - listener)
      if (left >= least) continue
      next = delivery
      least = left
    }
    return next
  }

  /** @returns false when the slice is used */
  #deliverUntil(end: number, delivery: Delivery<Message>): boolean {
    const { messages, to } = delivery
    for (; delivery.listener < to.length; delivery.listener++, delivery.message = 0) {
      while (delivery.message < messages.length) {
        if (this.#deps.now() >= end) return false
        this.#notify(to[delivery.listener]!, delivery, messages[delivery.message]!)
        delivery.message += 1
      }
    }
    return true
  }

  /** A failing listener must not affect others, nor the sequencer, in whose step this may run. */
  #notify(listener: Listener<Message>, delivery: Delivery<Message>, message: Message): void {
    if (!delivery.joined.has(listener)) return
    try {
      listener(message)
      delivery.onFirst?.()
      delivery.onFirst = undefined
    } catch (error) {
      this.#deps.log.error({ err: error }, 'a subscription message could not be sent')
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#deps.nextRound(() => {
      this.#isScheduled = false
      this.#deliver(this.#deps.now() + REQUEST_SLICE_MS)
    })
  }
}
