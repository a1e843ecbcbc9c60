import type { ResponseReservation } from './response-memory.ts'

/** Joins the responses of a batch in the order of its items. */
export class BatchResponse {
  /** V8 keeps concatenated strings as a tree and flattens it once, when the response is sent. */
  #text = ''
  #size = 0
  /** Responses from the first pending one on. */
  #pending: (string | undefined | Promise<string | undefined>)[] = []
  readonly #reservation: ResponseReservation

  constructor(reservation: ResponseReservation) {
    this.#reservation = reservation
  }

  /** `undefined` when no item has a response. */
  get text(): string | undefined {
    return this.#text === '' ? undefined : `[${this.#text}]`
  }

  /** Characters of the responses so far. */
  get size(): number {
    return this.#size
  }

  get isWaiting(): boolean {
    return this.#pending.length > 0
  }

  /** Responses that are pending, or follow a pending one. */
  get waiting(): number {
    return this.#pending.length
  }

  /** @param response `undefined` for a notification */
  add(response: string | undefined): void {
    if (this.isWaiting) this.#pending.push(response)
    else this.#append(response)
  }

  /** Adds a response that the next item need not wait for. If it rejects, `drain` does. */
  addPending(response: Promise<string | undefined>): void {
    response.catch(() => undefined)
    this.#pending.push(response)
  }

  /** Waits for all pending responses, then rejects with the first failure if there is one. */
  async drain(): Promise<void> {
    const pending = this.#pending
    this.#pending = []
    // `allSettled`: items that still run need the view of the batch.
    for (const settled of await Promise.allSettled(pending)) {
      if (settled.status === 'rejected') throw settled.reason
      this.#append(settled.value)
    }
  }

  #append(response: string | undefined): void {
    if (response === undefined) return
    this.#text += this.#text === '' ? response : `,${response}`
    this.#size += response.length
    this.#reservation.add(response.length)
  }
}
