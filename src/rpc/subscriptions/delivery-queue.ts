import type { RpcLog } from '../rpc-client.ts'
import { SLICE } from '../scheduling/run-queue.ts'
import type { Listener, Listeners } from './listeners.ts'

interface Options {
  /** In the unit of the messages' size: what may wait for a turn; what comes above that goes out in one piece. */
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
  /** As they were when the messages came. */
  readonly to: readonly Listener<Message>[]
  readonly joined: Listeners<Message>
  readonly size: number
  /** Who is told now. */
  listener: number
  /** What that one is told next. */
  message: number
}

/**
 * Hands messages to their listeners, for a slice at a time: thousands of subscribers must not keep the sequencer, or each
 * other's requests, waiting (issue 5). The first slice is the caller's own, so that few of them hear at once. What is said
 * together is told to one listener after the other, so that a connection can write it together too. Listeners hear in the
 * order of their messages; where several lists of them wait, the one goes first that has least left to hear, so that whole
 * blocks for a thousand do not keep few, or small ones, waiting.
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

  /** @param joined whoever leaves it in the meantime is not told */
  push(messages: readonly Message[], joined: Listeners<Message>): void {
    const size = messages.reduce((sum, message) => sum + message.size, 0)
    this.#waiting.push({ messages, to: joined.list, joined, size, listener: 0, message: 0 })
    this.#waitingSize += size
    if (this.#isDelivering) return
    if (this.#waitingSize > this.#options.maxWaiting) this.#deliver(Number.POSITIVE_INFINITY)
    else if (!this.#isScheduled) this.#deliver(this.#deps.now() + SLICE)
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

  /** The oldest one of each list is looked at. */
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

  /** @returns false when the time is over */
  #deliverUntil(end: number, delivery: Delivery<Message>): boolean {
    const { messages, to } = delivery
    for (; delivery.listener < to.length; delivery.listener++, delivery.message = 0) {
      while (delivery.message < messages.length) {
        if (this.#deps.now() >= end) return false
        this.#tell(to[delivery.listener]!, delivery.joined, messages[delivery.message]!)
        delivery.message += 1
      }
    }
    return true
  }

  /** What goes wrong with one of them is not the others' fault, nor the sequencer's, in whose step this may run. */
  #tell(listener: Listener<Message>, joined: Listeners<Message>, message: Message): void {
    if (!joined.has(listener)) return
    try {
      listener(message)
    } catch (error) {
      this.#deps.log.error({ err: error }, 'a subscription message could not be sent')
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#deps.nextRound(() => {
      this.#isScheduled = false
      this.#deliver(this.#deps.now() + SLICE)
    })
  }
}
