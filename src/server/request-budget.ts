/** Bytes that one read of a socket may bring. */
const READ_BYTES = 64 * 1024
/** Bytes per check below which a client that may send is stalled. */
const MIN_PROGRESS = 16 * 1024
/** Checks without progress after which a stalled client is refused, while others wait for room. */
const STALLED_CHECKS = 2
/** Checks after which a client that waits for room is refused. */
const WAITING_CHECKS = 10

/** A client that sends a request. */
export interface RequestSender {
  /** Called when it may send more. */
  readonly onRoom: () => void
  /** Called when its request has to be refused: there was no room in time, or it stalled while others wait. */
  readonly onRefused: () => void
}

/** The bytes of an incomplete request. */
export interface RequestCharge {
  /**
   * Records how many bytes have arrived.
   *
   * @returns whether more may be read; otherwise `onRoom` follows, or `onRefused`
   */
  update(bytes: number): boolean
  /** The request is complete or discarded. */
  end(): void
}

interface Charge {
  readonly sender: RequestSender
  bytes: number
  /** Bytes at the last check. */
  checked: number
  /** Checks without progress, or while it waited. */
  checks: number
  isWaiting: boolean
}

/**
 * Bounds the memory of all requests of all connections: bodies and messages that are arriving, and those whose response
 * is pending. Beyond the limit senders wait; the oldest one may always continue, so that its request completes and
 * frees room.
 */
export class RequestBudget {
  readonly #limit: number
  readonly #connections: () => number
  /** Oldest first. */
  readonly #charges = new Set<Charge>()
  #waiting = 0
  #used = 0
  /** The sender that may exceed the limit. */
  #privileged: Charge | undefined

  /**
   * @param options.limit bytes
   * @param deps.connections number of open connections: room is reserved for a read of each
   */
  constructor(options: { readonly limit: number }, deps: { readonly connections: () => number }) {
    this.#limit = options.limit
    this.#connections = deps.connections
  }

  /** Bytes of incomplete and pending requests. */
  get used(): number {
    return this.#used
  }

  hasRoom(): boolean {
    return this.#room() > 0
  }

  /** Counts a complete request until the returned function is called once. */
  take(bytes: number): () => void {
    this.#used += bytes
    return () => this.#release(bytes)
  }

  /** Counts a request that is arriving. */
  begin(sender: RequestSender): RequestCharge {
    const charge: Charge = { sender, bytes: 0, checked: 0, checks: 0, isWaiting: false }
    this.#charges.add(charge)
    return { update: (bytes) => this.#update(charge, bytes), end: () => this.#end(charge) }
  }

  /** Refuses stalled senders while others wait, and those that wait too long. Called once per second. */
  check(): void {
    if (this.#waiting === 0) return
    for (const charge of [...this.#charges]) {
      const hasProgress = !charge.isWaiting && charge.bytes - charge.checked >= MIN_PROGRESS
      charge.checks = hasProgress ? 0 : charge.checks + 1
      charge.checked = charge.bytes
      if (charge.checks < (charge.isWaiting ? WAITING_CHECKS : STALLED_CHECKS)) continue
      this.#end(charge)
      charge.sender.onRefused()
    }
  }

  #room(): number {
    const reserved = Math.min(this.#limit / 2, this.#connections() * READ_BYTES)
    return this.#limit - reserved - this.#used
  }

  #update(charge: Charge, bytes: number): boolean {
    if (!this.#charges.has(charge)) return true
    const freed = charge.bytes - bytes
    charge.bytes = bytes
    if (freed > 0) {
      charge.checked = Math.min(charge.checked, bytes)
      this.#release(freed)
    } else this.#used -= freed
    if (bytes === 0 || this.hasRoom()) return true
    this.#privileged ??= charge
    if (this.#privileged === charge) return true
    if (!charge.isWaiting) this.#setWaiting(charge, true)
    return false
  }

  #end(charge: Charge): void {
    if (!this.#charges.delete(charge)) return
    if (charge.isWaiting) this.#setWaiting(charge, false)
    if (this.#privileged === charge) this.#privileged = undefined
    this.#release(charge.bytes)
  }

  #release(bytes: number): void {
    this.#used -= bytes
    if (this.#waiting === 0) return
    let room = this.#room()
    for (const charge of [...this.#charges]) {
      if (room <= 0 && this.#privileged !== undefined) return
      if (!charge.isWaiting) continue
      if (room <= 0) this.#privileged = charge
      room -= READ_BYTES
      this.#setWaiting(charge, false)
      charge.sender.onRoom()
    }
  }

  #setWaiting(charge: Charge, isWaiting: boolean): void {
    charge.isWaiting = isWaiting
    charge.checks = 0
    this.#waiting += isWaiting ? 1 : -1
  }
}
