/** A client with queued requests, as far as the order of service depends on it. */
export interface QueuedClient {
  /** Key for limits, shared by clients of the same address; '' when the transport does not know it. */
  readonly address: string
  /** Identity of the connection. */
  readonly connection: object
  /** Whether it reads its responses; one that does not is served after those that do. */
  isReading(): boolean
}

/** The part of a connection, or of an address with all its connections. */
interface Share {
  /** Cost so far, at least that of the others when it came; in the unit of `charge`. */
  used: number
}

class ConnectionShare<T> implements Share {
  readonly client: QueuedClient
  used = 0
  readonly items: T[] = []

  constructor(client: QueuedClient) {
    this.client = client
  }
}

class AddressShare<T> implements Share {
  used = 0
  readonly floor = new Floor()
  readonly connections = new Map<object, ConnectionShare<T>>()
}

/** Where a share begins whose client did not wait: it is not given what it left unused. Never decreases. */
class Floor {
  #value = 0

  /** @param debit cost charged to a client without history: a stream of new clients then cannot starve the others */
  raise(share: Share, debit: number): void {
    share.used = Math.max(share.used, this.#value + debit)
  }

  /** Follows the waiting share that has used least. */
  follow(least: number): void {
    if (least !== Number.POSITIVE_INFINITY) this.#value = Math.max(this.#value, least)
  }

  isAbove({ used }: Share): boolean {
    return used <= this.#value
  }
}

interface Next<T> {
  readonly group: AddressShare<T>
  readonly share: ConnectionShare<T>
  readonly isReading: boolean
  readonly expected: number
}

/**
 * Queue that shares a resource equally between addresses, and the part of an address equally between its connections.
 * The next item is that of the client that will have used least after it (fair queueing; the cost of an item is
 * expected to be that of the connection's previous one). So a client with few and short requests does not wait for the
 * queue of one with many or long requests. Items of one connection keep their order.
 *
 * @example queue.add(client, start); const next = queue.take(); next.item(); queue.charge(next.client, 3)
 */
export class FairQueue<T> {
  readonly #unknownCost: number
  readonly #addresses = new Map<string, AddressShare<T>>()
  readonly #floor = new Floor()
  /** Cost of the last item of each connection. */
  readonly #lastCosts = new WeakMap<object, number>()
  #size = 0

  /** @param options.unknownCost expected cost of the first item of a connection */
  constructor({ unknownCost }: { readonly unknownCost: number }) {
    this.#unknownCost = unknownCost
  }

  get size(): number {
    return this.#size
  }

  add(client: QueuedClient, item: T): void {
    const debit = this.#lastCosts.has(client.connection) ? 0 : this.#unknownCost
    const group = this.#group(client.address)
    if (!isWaiting(group)) this.#floor.raise(group, debit)
    const share = connectionShare(group, client)
    if (share.items.length === 0) group.floor.raise(share, debit)
    share.items.push(item)
    this.#size++
  }

  /** Removes the next item; `undefined`: the queue is empty. */
  take(): { readonly client: QueuedClient; readonly item: T } | undefined {
    const next = this.#next()
    if (next === undefined) return undefined
    this.#size--
    return { client: next.share.client, item: next.share.items.shift()! }
  }

  /** Adds the cost of an item that was taken. */
  charge(client: QueuedClient, cost: number): void {
    const group = this.#addresses.get(client.address)
    const share = group?.connections.get(client.connection)
    if (group !== undefined) group.used += cost
    if (share !== undefined) share.used += cost
    this.learn(client, cost)
  }

  /** Learns the cost of an item that did not have to wait. */
  learn({ connection }: QueuedClient, cost: number): void {
    this.#lastCosts.set(connection, cost)
  }

  /**
   * Removes the newest item of the connection with most items, so that others can wait too.
   *
   * @returns `undefined`: `client` has about as many items itself
   */
  displace({ address, connection }: QueuedClient): T | undefined {
    const own = this.#addresses.get(address)?.connections.get(connection)?.items.length ?? 0
    let longest: T[] = []
    for (const { connections } of this.#addresses.values()) {
      for (const { items } of connections.values()) if (items.length > longest.length) longest = items
    }
    if (longest.length <= own + 1) return undefined
    this.#size--
    return longest.pop()
  }

  #group(address: string): AddressShare<T> {
    const existing = this.#addresses.get(address)
    if (existing !== undefined) return existing
    const group = new AddressShare<T>()
    this.#addresses.set(address, group)
    return group
  }

  #next(): Next<T> | undefined {
    let best: Next<T> | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [address, group] of this.#addresses) {
      const next = this.#nextOf(group)
      if (next === undefined) {
        // A new one would begin at the same place.
        if (this.#floor.isAbove(group)) this.#addresses.delete(address)
        continue
      }
      least = Math.min(least, group.used)
      if (best === undefined || precedes(next, group, best, best.group)) best = next
    }
    this.#floor.follow(least)
    return best
  }

  #nextOf(group: AddressShare<T>): Next<T> | undefined {
    let best: Next<T> | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [connection, share] of group.connections) {
      if (share.items.length === 0) {
        if (group.floor.isAbove(share)) group.connections.delete(connection)
        continue
      }
      least = Math.min(least, share.used)
      const expected = this.#lastCosts.get(connection) ?? this.#unknownCost
      const next = { group, share, isReading: share.client.isReading(), expected }
      if (best === undefined || precedes(next, share, best, best.share)) best = next
    }
    group.floor.follow(least)
    return best
  }
}

function connectionShare<T>({ connections }: AddressShare<T>, client: QueuedClient): ConnectionShare<T> {
  const existing = connections.get(client.connection)
  if (existing !== undefined) return existing
  const share = new ConnectionShare<T>(client)
  connections.set(client.connection, share)
  return share
}

function isWaiting<T>({ connections }: AddressShare<T>): boolean {
  for (const { items } of connections.values()) if (items.length > 0) return true
  return false
}

type Precedence = Pick<Next<unknown>, 'isReading' | 'expected'>

function precedes(a: Precedence, { used }: Share, b: Precedence, other: Share): boolean {
  return a.isReading === b.isReading ? used + a.expected < other.used + b.expected : a.isReading
}
