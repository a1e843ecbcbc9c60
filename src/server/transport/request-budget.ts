/** Bytes that one read of a socket may bring. */
const READ_BYTES = 64 * 1024
/** Bytes that are read per round of the event loop, or work that takes as long: some milliseconds. */
const ROUND_BYTES = 4 * 1024 * 1024
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
   * Records how many bytes of the request have arrived.
   *
   * @param bytes 0 while no request is incomplete
   * @param work bytes that were read, or more when they took longer; by default those that were added
   * @returns whether more may be read; otherwise `onRoom` follows, or `onRefused`
   */
  update(bytes: number, work?: number): boolean
  /** Whether bytes that have arrived may be read in this round; otherwise `onRoom` follows, unless the request ends. */
  mayRead(): boolean
  /** The request is complete or discarded. */
  end(): void
}

interface Charge {
  readonly sender: RequestSender
  bytes: number
  /** Bytes, or work as long, of the last read. */
  work: number
  /** Bytes at the last check. */
  checked: number
  /** Checks without progress, or while it waited. */
  checks: number
  isWaiting: boolean
}

interface Deps {
  /** Number of open connections: room is reserved for a read of each. */
  readonly connections: () => number
  /** Runs an action when the event loop has read its input: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

/**
 * Bounds the memory of all requests of all connections: bodies and messages that are arriving, and those whose response
 * is pending. Beyond the limit senders wait; the oldest one may always continue, so that its request completes and
 * frees room. Large requests, and WebSockets that send without pause, are read in rounds of the event loop, so that
 * many at once do not delay everything else.
 */
export class RequestBudget {
  readonly #limit: number
  readonly #deps: Deps
  /** Oldest first. */
  readonly #charges = new Set<Charge>()
  #waiting = 0
  #used = 0
  /** The sender that may exceed the limit. */
  #privileged: Charge | undefined
  /** Senders that continue in one of the next rounds. */
  readonly #continuing = new Set<Charge>()
  /** Bytes read in the current round. */
  #roundBytes = 0
  #isInRound = false

  /** @param options.limit bytes */
  constructor(options: { readonly limit: number }, deps: Deps) {
    this.#limit = options.limit
    this.#deps = deps
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
    const charge: Charge = { sender, bytes: 0, work: 0, checked: 0, checks: 0, isWaiting: false }
    this.#charges.add(charge)
    return {
      update: (bytes, work) => this.#update(charge, bytes, work),
      mayRead: () => this.#mayRead(charge),
      end: () => this.#end(charge),
    }
  }

  /** Refuses stalled senders while others wait, and those that wait too long. Called once per second. */
  check(): void {
    if (this.#waiting === 0) return
    for (const charge of [...this.#charges]) {
      if (charge.bytes === 0) continue
      const hasProgress = !charge.isWaiting && charge.bytes - charge.checked >= MIN_PROGRESS
      charge.checks = hasProgress ? 0 : charge.checks + 1
      charge.checked = charge.bytes
      if (charge.checks < (charge.isWaiting ? WAITING_CHECKS : STALLED_CHECKS)) continue
      this.#end(charge)
      charge.sender.onRefused()
    }
  }

  #room(): number {
    const reserved = Math.min(this.#limit / 2, this.#deps.connections() * READ_BYTES)
    return this.#limit - reserved - this.#used
  }

  #update(charge: Charge, bytes: number, work = Math.max(0, bytes - charge.bytes)): boolean {
    if (!this.#charges.has(charge)) return true
    const freed = charge.bytes - bytes
    charge.bytes = bytes
    charge.work = work
    if (freed > 0) {
      charge.checked = Math.min(charge.checked, bytes)
      this.#release(freed)
    } else this.#used -= freed
    if (bytes === 0) {
      this.#forgetRequest(charge)
      return this.#hasReadInRound(charge)
    }
    if (!this.hasRoom()) this.#privileged ??= charge
    if (this.hasRoom() || this.#privileged === charge) return this.#hasReadInRound(charge)
    if (!charge.isWaiting) this.#setWaiting(charge, true)
    return false
  }

  /** The next request of the sender comes after those that are incomplete now. */
  #forgetRequest(charge: Charge): void {
    if (this.#privileged === charge) this.#privileged = undefined
    this.#charges.delete(charge)
    this.#charges.add(charge)
  }

  #mayRead(charge: Charge): boolean {
    if (this.#roundBytes < ROUND_BYTES || !this.#charges.has(charge)) return true
    this.#continuing.add(charge)
    return false
  }

  /** @returns whether more may be read in this round */
  #hasReadInRound(charge: Charge): boolean {
    this.#beginRound()
    this.#roundBytes += charge.work
    if (this.#roundBytes < ROUND_BYTES) return true
    this.#continuing.add(charge)
    return false
  }

  #beginRound(): void {
    if (this.#isInRound) return
    this.#isInRound = true
    this.#deps.nextRound(() => this.#endRound())
  }

  /** Lets as many senders continue as the next round can read. */
  #endRound(): void {
    this.#isInRound = false
    this.#roundBytes = 0
    let room = ROUND_BYTES
    for (const charge of [...this.#continuing]) {
      if (room <= 0 || this.#roundBytes >= ROUND_BYTES) break
      room -= Math.max(charge.work, READ_BYTES)
      if (this.#continuing.delete(charge)) charge.sender.onRoom()
    }
    if (this.#continuing.size > 0) this.#beginRound()
  }

  #end(charge: Charge): void {
    if (!this.#charges.delete(charge)) return
    this.#continuing.delete(charge)
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
      this.#continuing.add(charge)
      this.#beginRound()
    }
  }

  #setWaiting(charge: Charge, isWaiting: boolean): void {
    charge.isWaiting = isWaiting
    charge.checks = 0
    this.#waiting += isWaiting ? 1 : -1
  }
}
