import type { ObservedChannel } from '../guest/simulation.ts'
import type { Actor } from '../world/scheduler.ts'
import type { Ledger } from './ledger.ts'

/** The items of each channel that lives of nodes emitted, in order. */
export class EmittedItems {
  readonly #items = new WeakMap<Actor, Map<ObservedChannel, string[]>>()
  /** Heights of the sealed blocks that a life has emitted and not taken back, by hash. */
  readonly #blocks = new WeakMap<Actor, Map<string, number>>()

  add(life: Actor, channel: ObservedChannel, key: string): void {
    this.of(life, channel).push(key)
  }

  /** @returns false for a block that this life has emitted before and not taken back */
  addHead(life: Actor, { hash, number }: { readonly hash: string; readonly number: number }): boolean {
    this.add(life, 'newHeads', hash)
    const blocks = this.#blocks.get(life) ?? new Map<string, number>()
    this.#blocks.set(life, blocks)
    if (blocks.has(hash)) return false
    blocks.set(hash, number)
    return true
  }

  /**
   * Blocks from a height on are gone. A development node that mines on request may build the same ones again.
   *
   * @param lowest a node names this block; above it, it may leave out stored blocks without transactions
   * @returns the hashes of those that this life has emitted
   */
  unwound(life: Actor, lowest: number): readonly string[] {
    const blocks = this.#blocks.get(life) ?? new Map<string, number>()
    const gone = [...blocks].filter(([, number]) => number >= lowest).map(([hash]) => hash)
    for (const hash of gone) blocks.delete(hash)
    return gone
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
