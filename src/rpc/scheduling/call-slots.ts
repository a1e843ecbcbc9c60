import { RPC_CODES, RpcError } from '../errors.ts'

/**
 * How many requests run code at once. Each that pauses keeps an interpreter with its memory, so that more of them wait
 * until others are done; short ones never meet.
 */
export class CallSlots {
  readonly #options: { readonly limit: number; readonly maxWaiting: number }
  readonly #waiting: (() => void)[] = []
  #taken = 0

  constructor(options: { readonly limit: number; readonly maxWaiting: number }) {
    this.#options = options
  }

  /**
   * @returns when there is room
   * @throws RpcError -32005 when too many wait
   */
  enter(): true | Promise<void> {
    const { limit, maxWaiting } = this.#options
    if (this.#taken < limit) {
      this.#taken++
      return true
    }
    if (this.#waiting.length >= maxWaiting) {
      throw new RpcError(RPC_CODES.limitExceeded, 'too many calls wait: try again later')
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Whoever waited longest goes on in its place. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#taken--
    else next()
  }
}
