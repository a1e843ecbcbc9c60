import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { QueuedClient } from '../protocol/rpc-client.ts'
import { FairQueue } from './fair-queue.ts'

/** Requests that may wait for another node, for each slot. */
const PAUSED_PER_SLOT = 8

interface WaitingCall {
  readonly resolve: () => void
  readonly reject: (error: RpcError) => void
}

/**
 * Bounds how many requests execute code at once. A paused request holds an interpreter with its memory. Short requests
 * never pause, so they do not wait for each other. Slots go to the waiting clients in turn.
 */
export class CallSlots {
  readonly #options: { readonly limit: number; readonly maxWaiting: number }
  readonly #waiting = new FairQueue<WaitingCall>({ unknownCost: 1 })
  #used = 0
  #paused = 0

  constructor(options: { readonly limit: number; readonly maxWaiting: number }) {
    this.#options = options
  }

  /**
   * When too many requests wait, the newest one of the client with most of them is refused.
   *
   * @returns `true`, or a promise that resolves when a slot is free, or rejects as below
   * @throws RpcError -32005 when too many requests wait
   */
  enter(client: QueuedClient): true | Promise<void> {
    const { limit, maxWaiting } = this.#options
    if (this.#used < limit) {
      this.#used++
      return true
    }
    if (this.#waiting.size >= maxWaiting) {
      const displaced = this.#waiting.displace(client)
      if (displaced === undefined) throw tooManyWait()
      displaced.reject(tooManyWait())
    }
    return new Promise((resolve, reject) => this.#waiting.add(client, { resolve, reject }))
  }

  /**
   * Leaves the slot of a request that waits for another node. Call `resumed` before it enters again.
   *
   * @returns false when too many do, because each keeps its interpreter: the request must keep its slot
   */
  pause(): boolean {
    if (this.#paused >= PAUSED_PER_SLOT * this.#options.limit) return false
    this.#paused++
    this.leave()
    return true
  }

  resumed(): void {
    this.#paused--
  }

  /** Passes the slot to the next waiting request. */
  leave(): void {
    const next = this.#waiting.take()
    if (next === undefined) {
      this.#used--
      return
    }
    next.item.resolve()
  }
}

function tooManyWait(): RpcError {
  return new RpcError(RPC_CODES.limitExceeded, 'too many calls wait: try again later')
}
