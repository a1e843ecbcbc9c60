/** Who waits, as far as the order of service depends on it. */
export interface QueuedClient {
  /** Key for limits, shared by clients of the same address; '' when the transport does not know it. */
  readonly address: string
  /** Identity of the connection. */
  readonly connection: object
  /** Whether it reads its responses; one that does not is served after those that do. */
  isReading(): boolean
}

/** What a client has used of the thread, and what it waits for. */
class Share<T> {
  readonly client: QueuedClient
  /** Cost of its items so far, in the same unit as that of the others. */
  used = 0
  readonly items: T[] = []

  constructor(client: QueuedClient) {
    this.client = client
  }
}

/** The connections of one address. */
class AddressShare<T> {
  used = 0
  /** Connections with waiting items. */
  waiting = 0
  /** Where a connection without waiting items starts: it is not given what it left unused. */
  floor = 0
  readonly connections = new Map<object, Share<T>>()
}

interface Used {
  readonly used: number
}

interface Next<T> {
  readonly group: AddressShare<T>
  readonly share: Share<T>
  readonly isReading: boolean
}

/**
 * Queue that shares a resource equally between addresses, and the share of an address equally between its connections
 * (start-time fair queueing). The next item is that of the waiting client that has used least, so that a client with
 * few and short requests never waits for the queue of one with many or long requests. Items of one connection keep
 * their order.
 *
 * @example queue.add(client, start); queue.take()?.item(); queue.charge(client, 3)
 */
export class FairQueue<T> {
  readonly #addresses = new Map<string, AddressShare<T>>()
  /** Addresses with waiting items. */
  #waiting = 0
  #floor = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  add(client: QueuedClient, item: T): void {
    const group = this.#group(client.address)
    const share = shareOf(group, client)
    if (share.items.push(item) === 1 && group.waiting++ === 0) this.#waiting++
    this.#size++
  }

  /** Removes the next item; `undefined`: the queue is empty. */
  take(): { readonly client: QueuedClient; readonly item: T } | undefined {
    const next = this.#next()
    if (next === undefined) {
      this.#addresses.clear()
      this.#floor = 0
      return undefined
    }
    const { group, share } = next
    this.#floor = Math.max(this.#floor, group.used)
    group.floor = Math.max(group.floor, share.used)
    const item = share.items.shift()!
    this.#removed(group, share)
    return { client: share.client, item }
  }

  /** Adds the cost of an item that was taken. */
  charge({ address, connection }: QueuedClient, cost: number): void {
    const group = this.#addresses.get(address)
    if (group === undefined) return
    group.used += cost
    // Without it, new connections without end would precede one that has been served.
    this.#floor += cost / (this.#waiting + 1)
    group.floor += cost / (group.waiting + 1)
    const share = group.connections.get(connection)
    if (share !== undefined) share.used += cost
  }

  /**
   * Removes the newest item of the connection with most items, so that others can wait too.
   *
   * @returns `undefined`: `client` has about as many items itself
   */
  displace({ address, connection }: QueuedClient): T | undefined {
    const own = this.#addresses.get(address)?.connections.get(connection)?.items.length ?? 0
    let most = own + 1
    let longest: { group: AddressShare<T>; share: Share<T> } | undefined
    for (const group of this.#addresses.values()) {
      for (const share of group.connections.values()) {
        if (share.items.length <= most) continue
        most = share.items.length
        longest = { group, share }
      }
    }
    if (longest === undefined) return undefined
    const item = longest.share.items.pop()
    this.#removed(longest.group, longest.share)
    return item
  }

  #removed(group: AddressShare<T>, { items }: Share<T>): void {
    this.#size--
    if (items.length === 0 && --group.waiting === 0) this.#waiting--
  }

  /** An address without waiting items starts level with the others. */
  #group(address: string): AddressShare<T> {
    let group = this.#addresses.get(address)
    if (group === undefined) {
      group = new AddressShare()
      this.#addresses.set(address, group)
    }
    if (group.waiting === 0) group.used = Math.max(group.used, this.#floor)
    return group
  }

  /** The waiting connection that has used least of the address that has used least; those that read come first. */
  #next(): Next<T> | undefined {
    let best: Next<T> | undefined
    for (const [address, group] of this.#addresses) {
      const next = nextOf(group)
      if (next === undefined) {
        // A new one would be given the same position.
        if (group.used <= this.#floor) this.#addresses.delete(address)
      } else if (best === undefined || precedes(next.isReading, group, best.isReading, best.group)) best = next
    }
    return best
  }
}

/** A connection without waiting items starts level with the others of its address. */
function shareOf<T>({ connections, floor }: AddressShare<T>, client: QueuedClient): Share<T> {
  let share = connections.get(client.connection)
  if (share === undefined) {
    share = new Share(client)
    connections.set(client.connection, share)
  }
  if (share.items.length === 0) share.used = Math.max(share.used, floor)
  return share
}

function nextOf<T>(group: AddressShare<T>): Next<T> | undefined {
  let best: Next<T> | undefined
  for (const [connection, share] of group.connections) {
    if (share.items.length === 0) {
      if (share.used <= group.floor) group.connections.delete(connection)
      continue
    }
    const isReading = share.client.isReading()
    if (best === undefined || precedes(isReading, share, best.isReading, best.share)) best = { group, share, isReading }
  }
  return best
}

function precedes(isReading: boolean, share: Used, isOtherReading: boolean, other: Used): boolean {
  return isReading === isOtherReading ? share.used < other.used : isReading
}
