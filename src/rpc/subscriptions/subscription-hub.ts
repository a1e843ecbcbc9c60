import type { NodeEventEmitter } from '../../node/core/events.ts'
import { type Answer, answerText } from '../memoized/encoded-json.ts'
import type { ReadyBlocks } from '../memoized/memoized-blocks.ts'
import type { Channel } from './channel.ts'
import { type DeliveryParts, DeliveryQueue } from './delivery-queue.ts'
import { type Listener, Listeners } from './listeners.ts'
import { SharedText } from './shared-text.ts'
import { type SharedTexts, togetherWhatFits } from './shared-texts.ts'

/** Characters of messages that may wait for a turn: a few of the largest flashblocks. */
const MAX_WAITING = 32 * 1024 * 1024

export interface HubParts extends DeliveryParts {
  readonly node: { readonly events: NodeEventEmitter }
  readonly ready: ReadyBlocks
}

interface OpenChannel {
  readonly listeners: Listeners<SharedTexts>
  readonly close: () => void
}

/** Listens to the node once per channel, however many subscribe to it, and not at all when nobody does. */
export class SubscriptionHub {
  readonly #parts: HubParts
  readonly #open = new Map<string, OpenChannel>()
  readonly #deliveries: DeliveryQueue<SharedTexts>
  #listening = 0

  constructor(parts: HubParts) {
    this.#parts = parts
    this.#deliveries = new DeliveryQueue({ maxWaiting: MAX_WAITING }, parts)
  }

  /** Subscriptions of all connections. */
  get listening(): number {
    return this.#listening
  }

  /**
   * @param listener takes the ends of notifications, each from the `result` on
   * @returns what ends it
   */
  join(channel: Channel, listener: Listener<SharedTexts>): () => void {
    const open = this.#open.get(channel.key) ?? this.#openChannel(channel)
    open.listeners.add(listener)
    this.#listening += 1
    return () => {
      if (open.listeners.delete(listener)) this.#listening -= 1
      if (open.listeners.size > 0 || this.#open.get(channel.key) !== open) return
      open.close()
      this.#open.delete(channel.key)
    }
  }

  #openChannel(channel: Channel): OpenChannel {
    const listeners = new Listeners<SharedTexts>()
    const closeMessages = this.#listen(channel, listeners)
    const closeRemovals = this.#listenToRemovals(channel, listeners)
    const open = {
      listeners,
      close() {
        closeMessages()
        closeRemovals()
      },
    }
    this.#open.set(channel.key, open)
    return open
  }

  #listen(channel: Channel, listeners: Listeners<SharedTexts>): () => void {
    const { node, ready } = this.#parts
    const { events } = node
    switch (channel.event) {
      case 'flashblock':
        return on(events, channel.event, (event) =>
          this.#publish(channel.key, listeners, () => channel.messages(event, ready)),
        )
      case 'sealed':
        return on(events, channel.event, (event) =>
          this.#publish(channel.key, listeners, () => channel.messages(event, ready)),
        )
      case 'pooled':
        return on(events, channel.event, (event) =>
          this.#publish(channel.key, listeners, () => channel.messages(event, ready)),
        )
    }
  }

  #listenToRemovals(channel: Channel, listeners: Listeners<SharedTexts>): () => void {
    const { removals } = channel
    if (removals === undefined) return () => {}
    return on(this.#parts.node.events, 'unwound', (event) =>
      this.#publish(channel.key, listeners, () => removals(event)),
    )
  }

  /** What goes wrong here must not reach the sequencer, in whose step the event is told. */
  #publish(key: string, listeners: Listeners<SharedTexts>, messages: () => Iterable<Answer>): void {
    try {
      const texts = Array.from(messages(), (message) => new SharedText(answerText(message)))
      if (texts.length > 0) this.#deliveries.push(togetherWhatFits(texts), listeners)
    } catch (error) {
      this.#parts.log.error({ err: error, channel: key }, 'a subscription message could not be made')
    }
  }
}

type Events = Pick<NodeEventEmitter, 'on' | 'off'>

function on<E extends Channel['event'] | 'unwound'>(
  events: Events,
  name: E,
  listener: Parameters<typeof events.on<E>>[1],
): () => void {
  events.on(name, listener)
  return () => events.off(name, listener)
}
