/** Receives a message. */
export type Listener<Message> = (message: Message) => void

/**
 * Listeners in the order in which they joined. The array is built once between two changes: a block may bring thousands
 * of messages for thousands of listeners.
 */
export class Listeners<Message> {
  readonly #joined: Set<Listener<Message>>
  #list: readonly Listener<Message>[] | undefined

  constructor(joined: Iterable<Listener<Message>> = []) {
    this.#joined = new Set(joined)
  }

  get size(): number {
    return this.#joined.size
  }

  /** A snapshot of the listeners. */
  get list(): readonly Listener<Message>[] {
    this.#list ??= [...this.#joined]
    return this.#list
  }

  has(listener: Listener<Message>): boolean {
    return this.#joined.has(listener)
  }

  add(listener: Listener<Message>): void {
    this.#joined.add(listener)
    this.#list = undefined
  }

  /** @returns whether it had joined */
  delete(listener: Listener<Message>): boolean {
    this.#list = undefined
    return this.#joined.delete(listener)
  }
}
