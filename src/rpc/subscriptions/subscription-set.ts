import type { Bytes, Hex } from '../../primitives/hex.ts'
import { bytesToBigint, toQuantity } from '../../primitives/quantity.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { resultJson } from '../memoized/encoded-json.ts'
import type { SubscriptionChannel } from './channel.ts'
import { NotificationText } from './shared-text.ts'
import { NotificationGroup } from './shared-texts.ts'
import type { SubscriptionHub } from './subscription-hub.ts'

interface Options {
  /** Subscriptions of the connection at most. */
  readonly limit: number
  /** Addresses and topics in the filters of all of them. */
  readonly maxCriteria: number
  /** Bytes of messages that wait for the answers with their subscriptions' ids. */
  readonly maxHeldBytes: number
}

interface Deps {
  readonly hub: SubscriptionHub
  readonly randomBytes: (size: number) => Bytes
  /** Takes messages, each in two parts: a head, and one of the texts that are the same for all who subscribe to the same. */
  readonly send: (head: string, rest: NotificationGroup) => void
  /** Called when more messages wait than may: the connection cannot go on without losing some. */
  readonly onOverflow: () => void
}

/** The subscriptions that one request may open; they speak once its answer is out. */
export interface SubscriptionScope {
  /** @throws RpcError -32006 when the connection has as many as it may, -32000 when it is closed */
  open(channel: SubscriptionChannel): Hex
  /** Whether there was one of that id. */
  close(id: string): boolean
  /** Lets what was opened speak: to be called when the answer that tells their ids was sent. */
  activate(): void
}

interface Held {
  readonly head: string
  readonly rest: NotificationGroup
}

interface Subscription {
  readonly leave: () => void
  readonly criteria: number
  /** Messages that came before the answer with the subscription's id. */
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

  /** One per request: answers of other requests must not let its subscriptions speak. */
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

  /** No more messages come, and none are listened for. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Ends all of them; there are no others after. */
  closeAll(): void {
    this.#isClosed = true
    for (const id of [...this.#subscriptions.keys()]) this.#close(id)
  }

  #open(channel: SubscriptionChannel): Hex {
    const { limit, maxCriteria } = this.#options
    // A batch may go on after its connection ended: what it opened then nobody would ever close.
    if (this.#isClosed) throw new RpcError(RPC_CODES.server, 'the connection is closed')
    if (this.#subscriptions.size >= limit) {
      throw new RpcError(RPC_CODES.tooManySubscriptions, `too many subscriptions on the connection, limit ${limit}`)
    }
    if (this.#criteria + channel.criteria > maxCriteria) {
      throw new RpcError(
        RPC_CODES.tooManySubscriptions,
        `too many addresses and topics in the subscriptions of the connection: ` +
          `${this.#criteria} and ${channel.criteria} more, limit ${maxCriteria}`,
      )
    }
    // As a quantity: some clients compare ids after reading them as numbers.
    const id = toQuantity(bytesToBigint(this.#deps.randomBytes(16)))
    const deliver = (result: NotificationGroup) => this.#deliver(id, subscription, result)
    const subscription: Subscription = {
      leave: channel.event === undefined ? () => undefined : this.#deps.hub.join(channel, deliver),
      criteria: channel.criteria,
      held: [],
    }
    if (channel.event === undefined) {
      deliver(new NotificationGroup([new NotificationText(resultJson(channel.message))]))
    }
    this.#subscriptions.set(id, subscription)
    this.#criteria += channel.criteria
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

function sizeOf({ head, rest }: Held): number {
  return head.length * rest.texts.length + rest.size
}
