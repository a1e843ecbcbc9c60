import type { ObservedChannel } from '../guest/simulation.ts'
import type { Actor } from '../world/scheduler.ts'
import type { Ledger } from './ledger.ts'

/** The items of each channel that lives of nodes emitted, in order. */
export class EmittedItems {
  readonly #items = new WeakMap<Actor, Map<ObservedChannel, string[]>>()
  /** Hashes of the sealed blocks that a life has emitted and not taken back. */
  readonly #blocks = new WeakMap<Actor, Set<string>>()

  /** @returns false for a sealed block that this life has emitted before and not taken back */
  add(life: Actor, channel: ObservedChannel, key: string): boolean {
    this.of(life, channel).push(key)
    if (channel !== 'newHeads') return true
    const blocks = this.#blocks.get(life) ?? new Set()
    this.#blocks.set(life, blocks)
    if (blocks.has(key)) return false
    blocks.add(key)
    return true
  }

  /** A development node that mines on request may build the same block again afterwards. */
  unwound(life: Actor, hashes: readonly string[]): void {
    for (const hash of hashes) this.#blocks.get(life)?.delete(hash)
  }

  of(life: Actor, channel: ObservedChannel): string[] {
    const channels = this.#items.get(life) ?? new Map<ObservedChannel, string[]>()
    this.#items.set(life, channels)
    const items = channels.get(channel) ?? []
    channels.set(channel, items)
    return items
  }
}

/** Compares the items that one subscription received with those that its node emitted. */
export class Delivery {
  readonly #emitted: readonly string[]
  readonly #name: string
  readonly #ledger: Ledger
  /** Items emitted before the request. */
  readonly #requestedAt: number
  /** Items emitted before the response arrived. */
  readonly #openedAt: number
  #next: number | undefined

  /** @param requestedAt items that the node had emitted when the client asked for the subscription */
  constructor(name: string, emitted: readonly string[], requestedAt: number, ledger: Ledger) {
    this.#name = name
    this.#emitted = emitted
    this.#requestedAt = requestedAt
    this.#openedAt = emitted.length
    this.#ledger = ledger
  }

  /** Whether all items up to `count` have arrived. */
  has(count: number): boolean {
    return (this.#next ?? this.#openedAt) >= count
  }

  receive(key: string): void {
    if (this.#next === undefined) {
      const first = this.#emitted.indexOf(key, this.#requestedAt)
      if (first < 0) this.#fail(`received ${key}, which its node did not emit since the subscription`)
      else if (first > this.#openedAt) this.#fail(`received ${key} first, and not ${this.#emitted[this.#openedAt]}`)
      this.#next = first + 1
      return
    }
    const expected = this.#emitted[this.#next]
    if (expected !== key) this.#fail(`received ${key} instead of ${expected ?? 'nothing'}`)
    this.#next += 1
  }

  #fail(message: string): void {
    this.#ledger.fail('subscriptions', `${this.#name} ${message}`)
  }
}
