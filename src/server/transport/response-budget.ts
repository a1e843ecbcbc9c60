/**
 * Bytes that each connection may have unsent however much the others have, so that small responses are never refused.
 */
const SMALL = 64 * 1024
/** Share of the limit that all WebSockets may use before slow ones are closed. */
const SOCKETS_SHARE = 1 / 4

/** Whether the unsent bytes of a connection are so few that its client reads as fast as it asks. */
export function isKeepingUp(waiting: number): boolean {
  return waiting < SMALL
}

/** Bounds the memory of all unsent responses of all connections. */
export class ResponseBudget {
  readonly #limit: number
  /** Messages queued at several connections, with their number. */
  readonly #shared = new Map<object, number>()
  #used = 0

  /** @param options.limit bytes */
  constructor(options: { readonly limit: number }) {
    this.#limit = options.limit
  }

  /**
   * Bytes that one of several WebSockets may leave unread. A thousand stalled sockets get no more than one, so that
   * responses of others find room.
   */
  shareOf(sockets: number): number {
    return Math.max(SMALL, (this.#limit * SOCKETS_SHARE) / Math.max(1, sockets))
  }

  /**
   * Whether a response can be reserved. Checked before a request runs, so that its work is not wasted.
   *
   * @param waiting unsent bytes of the connection
   */
  hasRoom(waiting: number): boolean {
    return this.#used < this.#limit || waiting < SMALL
  }

  /**
   * Reserves the bytes of a response until it is written or its connection closes.
   *
   * @param waiting unsent bytes of the connection
   * @returns releases them; `undefined`: there is no room
   */
  take(bytes: number, waiting: number): (() => void) | undefined {
    if (this.#used + bytes > this.#limit && waiting + bytes > SMALL) return undefined
    this.#used += bytes
    let isReserved = true
    return () => {
      if (isReserved) this.#used -= bytes
      isReserved = false
    }
  }

  /**
   * Reserves a message that many connections share: it is in memory once and counts once. A connection without unsent
   * bytes is never refused.
   */
  takeShared(message: object, bytes: number, waiting: number): (() => void) | undefined {
    const holders = this.#shared.get(message) ?? 0
    if (holders === 0) {
      if (this.#used + bytes > this.#limit && waiting > 0) return undefined
      this.#used += bytes
    }
    this.#shared.set(message, holders + 1)
    let isReserved = true
    return () => {
      if (!isReserved) return
      isReserved = false
      const left = this.#shared.get(message)! - 1
      if (left > 0) {
        this.#shared.set(message, left)
        return
      }
      this.#shared.delete(message)
      this.#used -= bytes
    }
  }
}
