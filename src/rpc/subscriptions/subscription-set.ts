import type { Bytes, Hex } from '../../primitives/hex.ts'
import { bytesToBigint, toQuantity } from '../../primitives/quantity.ts'
import { resultJson } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { RpcLimits } from '../protocol/limits.ts'
import type { SubscriptionChannel } from './channel.ts'
import { NotificationText } from './shared-text.ts'
import { NotificationGroup } from './shared-texts.ts'
import type { SubscriptionHub } from './subscription-hub.ts'

type Options = Pick<RpcLimits, 'maxSubscriptions' | 'maxSubscribedCriteria' | 'maxHeldBytes'>

interface Deps {
  readonly hub: Pick<SubscriptionHub, 'join'>
  readonly randomBytes: (size: number) => Bytes
  /** Sends notifications: a head, and a group of texts shared by all subscribers. */
  readonly send: (head: string, rest: NotificationGroup) => void
  /** Called when too many notifications are held: the connection cannot continue without losing some. */
  readonly onOverflow: () => void
}

/** Opens subscriptions for one request. They send notifications once its response is sent. */
export interface SubscriptionScope {
  /** @throws RpcError -32006 when the connection has as many as it may, -32000 when it is closed */
  open(channel: SubscriptionChannel): Hex
  /** @returns whether the subscription existed */
  close(id: string): boolean
  /** Starts the notifications. Called when the response with the subscription ids has been sent. */
  activate(): void
}

interface Held {
  readonly head: string
  readonly rest: NotificationGroup
}

interface Subscription {
  readonly leave: () => void
  readonly criteria: number
  /** Notifications from before the response with the subscription id. */
  held: Held[] | undefined
}

/** The subscriptions of one connection. */
export class SubscriptionSet {
  readonly #options: Options
  readonly #deps: Deps
  readonly #subscriptions = new Map<string, Subscription>()
  #criteria = 0
  #heldBytes = 0
  #isClosed = false

  constructor(options: Options, deps: Deps) {
    this.#options = options
    this.#deps = deps
  }

  /** One scope per request: responses of other requests must not start its notifications. */
  scope(): SubscriptionScope {
    const opened: Hex[] = []
    return {
      open: (channel) => {
        const id = this.#open(channel)
        opened.push(id)
        return id
      },
      close: (id) => this.#close(id),
      activate: () => {
        for (const id of opened) this.#activate(id)
      },
    }
  }

  /** Whether all subscriptions have ended. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Ends all subscriptions; none can be opened afterwards. */
  closeAll(): void {
    this.#isClosed = true
    for (const id of [...this.#subscriptions.keys()]) this.#close(id)
  }

  #open(channel: SubscriptionChannel): Hex {
    const { maxSubscriptions, maxSubscribedCriteria } = this.#options
    // A batch may continue after its connection closed: nothing would close its subscriptions.
    if (this.#isClosed) throw closedError()
    if (this.#subscriptions.size >= maxSubscriptions) {
      throw new RpcError(
        RPC_CODES.tooManySubscriptions,
        `too many subscriptions on the connection, limit ${maxSubscriptions}`,
      )
    }
    if (this.#criteria + channel.criteria > maxSubscribedCriteria) {
      throw new RpcError(
        RPC_CODES.tooManySubscriptions,
        `too many addresses and topics in the subscriptions of the connection: ` +
          `${this.#criteria} and ${channel.criteria} more, limit ${maxSubscribedCriteria}`,
      )
    }
    // A quantity: some clients compare ids as numbers.
    const id = toQuantity(bytesToBigint(this.#deps.randomBytes(16)))
    const deliver = (result: NotificationGroup) => this.#deliver(id, subscription, result)
    const subscription: Subscription = {
      leave: channel.event === undefined ? () => undefined : this.#deps.hub.join(channel, deliver),
      criteria: channel.criteria,
      held: [],
    }
    this.#subscriptions.set(id, subscription)
    this.#criteria += channel.criteria
    if (channel.event === undefined) {
      deliver(new NotificationGroup([new NotificationText(resultJson(channel.message))]))
    }
    // The connection may be closed because it cannot hold that message.
    if (this.#isClosed) throw closedError()
    return id
  }

  #deliver(id: Hex, subscription: Subscription, rest: NotificationGroup): void {
    const head = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`
    if (subscription.held === undefined) this.#deps.send(head, rest)
    else this.#hold(subscription.held, { head, rest })
  }

  #hold(held: Held[], message: Held): void {
    held.push(message)
    this.#heldBytes += sizeOf(message)
    if (this.#heldBytes <= this.#options.maxHeldBytes) return
    this.closeAll()
    this.#deps.onOverflow()
  }

  #activate(id: Hex): void {
    const subscription = this.#subscriptions.get(id)
    const held = subscription?.held
    if (subscription === undefined || held === undefined) return
    subscription.held = undefined
    for (const message of held) {
      this.#heldBytes -= sizeOf(message)
      this.#deps.send(message.head, message.rest)
    }
  }

  #close(id: string): boolean {
    const subscription = this.#subscriptions.get(id)
    if (subscription === undefined) return false
    subscription.leave()
    this.#subscriptions.delete(id)
    this.#criteria -= subscription.criteria
    for (const message of subscription.held ?? []) this.#heldBytes -= sizeOf(message)
    return true
  }
}

function closedError(): RpcError {
  return new RpcError(RPC_CODES.server, 'the connection is closed')
}

function sizeOf({ head, rest }: Held): number {
  return head.length * rest.texts.length + rest.size
}
