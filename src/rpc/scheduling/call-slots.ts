import { RPC_CODES, RpcError } from '../errors.ts'

/**
 * Bounds how many requests execute code at once. A paused request holds an interpreter with its memory. Short requests
 * never pause, so they do not wait for each other.
 */
export class CallSlots {
  readonly #options: { readonly limit: number; readonly maxWaiting: number }
  readonly #waiting: (() => void)[] = []
  #used = 0

  constructor(options: { readonly limit: number; readonly maxWaiting: number }) {
    this.#options = options
  }

  /**
   * @returns `true`, or a promise that resolves when a slot is free
   * @throws RpcError -32005 when too many requests wait
   */
  enter(): true | Promise<void> {
    const { limit, maxWaiting } = this.#options
    if (this.#used < limit) {
      this.#used++
      return true
    }
    if (this.#waiting.length >= maxWaiting) {
      throw new RpcError(RPC_CODES.limitExceeded, 'too many calls wait: try again later')
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Passes the slot to the request that has waited longest. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#used--
    else next()
  }
}
