import type { NodeEventEmitter, OnFlashblockDelivered } from '../../node/view/events.ts'
import type { MemoizedBlocks } from '../memoized/memoized-blocks.ts'
import { type MethodResult, resultJson } from '../protocol/encoded-json.ts'
import type { EventChannel } from './channel.ts'
import { type DeliveryDeps, DeliveryQueue } from './delivery-queue.ts'
import { type Listener, Listeners } from './listeners.ts'
import { NotificationText } from './shared-text.ts'
import { groupBySize, type NotificationGroup } from './shared-texts.ts'

/** Characters of messages that may be queued: a few of the largest flashblocks. */
export const MAX_WAITING_CHARACTERS = 32 * 1024 * 1024

export interface HubDeps extends DeliveryDeps {
  readonly node: { readonly events: NodeEventEmitter }
  readonly memoizedBlocks: MemoizedBlocks
  readonly onFlashblockDelivered?: OnFlashblockDelivered | undefined
}

interface OpenChannel {
  readonly listeners: Listeners<NotificationGroup>
  readonly close: () => void
}

/** Subscribes to events of the node once per channel, while it has subscribers. */
export class SubscriptionHub {
  readonly #deps: HubDeps
  readonly #open = new Map<string, OpenChannel>()
  readonly #deliveries: DeliveryQueue<NotificationGroup>
  #listening = 0

  constructor(deps: HubDeps) {
    this.#deps = deps
    this.#deliveries = new DeliveryQueue({ maxWaiting: MAX_WAITING_CHARACTERS }, deps)
  }

  /** Subscriptions of all connections. */
  get listening(): number {
    return this.#listening
  }

  /**
   * @param listener receives notifications without their heads
   * @returns ends the subscription
   */
  join(channel: EventChannel, listener: Listener<NotificationGroup>): () => void {
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

  #openChannel(channel: EventChannel): OpenChannel {
    const listeners = new Listeners<NotificationGroup>()
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

  #listen(channel: EventChannel, listeners: Listeners<NotificationGroup>): () => void {
    const { node, memoizedBlocks, onFlashblockDelivered } = this.#deps
    const { events } = node
    switch (channel.event) {
      case 'flashblock':
        return on(events, channel.event, (event) =>
          this.#publish(
            channel.key,
            listeners,
            () => channel.messages(event, memoizedBlocks),
            onFlashblockDelivered && (() => onFlashblockDelivered(event)),
          ),
        )
      case 'sealed':
        return on(events, channel.event, (event) =>
          this.#publish(channel.key, listeners, () => channel.messages(event, memoizedBlocks)),
        )
      case 'pooled':
        return on(events, channel.event, (event) =>
          this.#publish(channel.key, listeners, () => channel.messages(event, memoizedBlocks)),
        )
    }
  }

  #listenToRemovals(channel: EventChannel, listeners: Listeners<NotificationGroup>): () => void {
    const { removals } = channel
    if (removals === undefined) return () => {}
    return on(this.#deps.node.events, 'unwound', (event) =>
      this.#publish(channel.key, listeners, () => removals(event)),
    )
  }

  /** Errors must not reach the sequencer, in whose step the event is emitted. */
  #publish(
    key: string,
    listeners: Listeners<NotificationGroup>,
    messages: () => Iterable<MethodResult>,
    onFirst?: () => void,
  ): void {
    try {
      const texts = Array.from(messages(), (message) => new NotificationText(resultJson(message)))
      if (texts.length > 0) this.#deliveries.push(groupBySize(texts), listeners, onFirst)
    } catch (error) {
      this.#deps.log.error({ err: error, channel: key }, 'a subscription message could not be made')
    }
  }
}

type Events = Pick<NodeEventEmitter, 'on' | 'off'>

function on<E extends EventChannel['event'] | 'unwound'>(
  events: Events,
  name: E,
  listener: Parameters<typeof events.on<E>>[1],
): () => void {
  events.on(name, listener)
  return () => events.off(name, listener)
}
