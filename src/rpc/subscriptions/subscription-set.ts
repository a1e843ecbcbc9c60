import type { Bytes, Hex } from '../../primitives/hex.ts'
import { bytesToBigint, toQuantity } from '../../primitives/quantity.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import type { Channel } from './channel.ts'
import type { SubscriptionHub } from './subscription-hub.ts'

interface Options {
  /** Subscriptions of the connection at most. */
  readonly limit: number
}

interface Parts {
  readonly hub: SubscriptionHub
  readonly randomBytes: (size: number) => Bytes
  readonly send: (text: string) => void
}

/** The subscriptions that one request may open; they speak once its answer is out. */
export interface SubscriptionScope {
  /** @throws RpcError -32006 when the connection has as many as it may */
  open(channel: Channel): Hex
  /** Whether there was one of that id. */
  close(id: string): boolean
  /** Lets what was opened speak: to be called when the answer that tells their ids was sent. */
  activate(): void
}

interface Subscription {
  readonly leave: () => void
  /** Messages that came before the answer with the subscription's id. */
  held: string[] | undefined
}

/** The subscriptions of one connection. */
export class SubscriptionSet {
  readonly #options: Options
  readonly #parts: Parts
  readonly #subscriptions = new Map<string, Subscription>()

  constructor(options: Options, parts: Parts) {
    this.#options = options
    this.#parts = parts
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

  /** Ends all of them. */
  closeAll(): void {
    for (const id of [...this.#subscriptions.keys()]) this.#close(id)
  }

  #open(channel: Channel): Hex {
    const { limit } = this.#options
    if (this.#subscriptions.size >= limit) {
      throw new RpcError(RPC_CODES.tooManySubscriptions, `too many subscriptions on the connection, limit ${limit}`)
    }
    // As a quantity: some clients compare ids after reading them as numbers.
    const id = toQuantity(bytesToBigint(this.#parts.randomBytes(16)))
    const subscription: Subscription = {
      leave: this.#parts.hub.join(channel, (result) => this.#deliver(id, subscription, result)),
      held: [],
    }
    this.#subscriptions.set(id, subscription)
    return id
  }

  #deliver(id: Hex, subscription: Subscription, result: string): void {
    const text = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`
    if (subscription.held === undefined) this.#parts.send(text)
    else subscription.held.push(text)
  }

  #activate(id: Hex): void {
    const subscription = this.#subscriptions.get(id)
    const held = subscription?.held
    if (subscription === undefined || held === undefined) return
    subscription.held = undefined
    for (const text of held) this.#parts.send(text)
  }

  #close(id: string): boolean {
    this.#subscriptions.get(id)?.leave()
    return this.#subscriptions.delete(id)
  }
}
