import type { QueuedClient } from '../protocol/rpc-client.ts'

/** Part of the weight of the newest cost in the average of a client. */
const NEWEST = 1 / 8
/** Least cost, as a part of the unknown one: items without cost would be taken before all others for ever. */
const LEAST = 1 / 1_000

/** A client, or an address, whose items wait or were taken a short while ago. */
interface Share {
  /** Virtual time at which its next item begins. */
  begin: number
}

interface ConnectionShare<T> extends Share {
  readonly client: QueuedClient
  readonly items: T[]
}

interface AddressShare<T> extends Share {
  /** Virtual time of its connections. */
  time: number
  /** Number of its items. */
  size: number
  readonly connections: Map<object, ConnectionShare<T>>
}

interface Next<T> {
  readonly group: AddressShare<T>
  readonly share: ConnectionShare<T>
  readonly isReading: boolean
  readonly expected: number
}

/**
 * Queue that shares a resource equally between addresses, and the part of an address equally between its connections:
 * fair queueing by virtual time, on two levels. An item begins when the previous one of its connection ends, or now if
 * that is later, and ends after its expected cost; the queue takes the item that ends first, and its beginning becomes
 * the virtual time. So a client with few and short requests does not wait for the queue of one with many or long
 * requests. Items of one connection keep their order.
 *
 * The expected cost is a moving average of what the items of the connection cost. A single item that seems expensive,
 * because the process collected garbage meanwhile, then delays the client's next items a little; with its whole cost
 * as a debt the client would wait until all others had used as much.
 *
 * @example queue.add(client, start); const next = queue.take(); next.item(); queue.learn(next.client, 3)
 */
export class FairQueue<T> {
  readonly #unknownCost: number
  readonly #addresses = new Map<string, AddressShare<T>>()
  /** Expected cost of the next item of each connection. */
  readonly #costs = new WeakMap<object, number>()
  /** Virtual time of the addresses. */
  #time = 0
  #size = 0

  /** @param options.unknownCost expected cost of the first item of a connection */
  constructor({ unknownCost }: { readonly unknownCost: number }) {
    this.#unknownCost = unknownCost
  }

  get size(): number {
    return this.#size
  }

  add(client: QueuedClient, item: T): void {
    // A stream of new clients would otherwise keep the virtual time from advancing.
    const debit = this.#costs.has(client.connection) ? 0 : this.#unknownCost
    const group = this.#addresses.get(client.address) ?? { begin: 0, time: 0, size: 0, connections: new Map() }
    this.#addresses.set(client.address, group)
    if (group.size === 0) group.begin = Math.max(group.begin, this.#time + debit)
    const share = group.connections.get(client.connection) ?? { begin: 0, client, items: [] }
    group.connections.set(client.connection, share)
    if (share.items.length === 0) share.begin = Math.max(share.begin, group.time + debit)
    share.items.push(item)
    group.size++
    this.#size++
  }

  /** Removes the next item; `undefined`: the queue is empty. */
  take(): { readonly client: QueuedClient; readonly item: T } | undefined {
    const next = this.#next()
    if (next === undefined) return undefined
    const { group, share, expected } = next
    group.time = Math.max(group.time, share.begin)
    share.begin += expected
    this.#time = Math.max(this.#time, group.begin)
    group.begin += expected
    group.size--
    this.#size--
    return { client: share.client, item: share.items.shift()! }
  }

  /** Learns the cost of an item of the client, in a unit of the caller's choice. */
  learn({ connection }: QueuedClient, cost: number): void {
    const average = this.#costs.get(connection) ?? cost
    this.#costs.set(connection, Math.max(average + (cost - average) * NEWEST, this.#unknownCost * LEAST))
  }

  /**
   * Removes the newest item of the connection with most items, so that others can wait too.
   *
   * @returns `undefined`: `client` has about as many items itself
   */
  displace({ address, connection }: QueuedClient): T | undefined {
    const own = this.#addresses.get(address)?.connections.get(connection)?.items.length ?? 0
    let longest: { readonly group: AddressShare<T>; readonly items: T[] } | undefined
    for (const group of this.#addresses.values()) {
      for (const { items } of group.connections.values()) {
        if (items.length > (longest?.items.length ?? 0)) longest = { group, items }
      }
    }
    if (longest === undefined || longest.items.length <= own + 1) return undefined
    longest.group.size--
    this.#size--
    return longest.items.pop()
  }

  #next(): Next<T> | undefined {
    let best: Next<T> | undefined
    for (const [address, group] of this.#addresses) {
      const next = this.#nextOf(group)
      if (next === undefined) {
        // A new share would begin at the same time.
        if (group.begin <= this.#time) this.#addresses.delete(address)
      } else if (best === undefined || precedes(next, group, best, best.group)) best = next
    }
    return best
  }

  #nextOf(group: AddressShare<T>): Next<T> | undefined {
    let best: Next<T> | undefined
    for (const [connection, share] of group.connections) {
      if (share.items.length === 0) {
        if (share.begin <= group.time) group.connections.delete(connection)
        continue
      }
      const expected = this.#costs.get(connection) ?? this.#unknownCost
      const next = { group, share, isReading: share.client.isReading(), expected }
      if (best === undefined || precedes(next, share, best, best.share)) best = next
    }
    return best
  }
}

type Precedence = Pick<Next<unknown>, 'isReading' | 'expected'>

function precedes(a: Precedence, { begin }: Share, b: Precedence, other: Share): boolean {
  return a.isReading === b.isReading ? begin + a.expected < other.begin + b.expected : a.isReading
}
