/** A request without a reply, and what its sender notes about it. */
interface Pending<Reply, Note> {
  readonly note: Note
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

/**
 * Requests to a thread, another process or a peer whose reply names the request by its id, in any order.
 *
 * @example const { id, reply } = pending.add(undefined); port.post({ id, question }); return reply
 */
export class PendingReplies<Reply, Note = undefined> {
  readonly #pending = new Map<number, Pending<Reply, Note>>()
  #nextId = 0

  get size(): number {
    return this.#pending.size
  }

  /** Ids and notes of the requests, oldest first. */
  *entries(): Iterable<readonly [id: number, note: Note]> {
    for (const [id, { note }] of this.#pending) yield [id, note]
  }

  add(note: Note): { readonly id: number; readonly reply: Promise<Reply> } {
    const id = this.#nextId++
    const reply = new Promise<Reply>((resolve, reject) => this.#pending.set(id, { note, resolve, reject }))
    return { id, reply }
  }

  /** @returns the note; `undefined` if the request has its reply already */
  resolve(id: number, reply: Reply): Note | undefined {
    const pending = this.#remove(id)
    pending?.resolve(reply)
    return pending?.note
  }

  reject(id: number, error: unknown): void {
    this.#remove(id)?.reject(error)
  }

  resolveAll(reply: Reply): void {
    for (const [id] of this.#pending) this.resolve(id, reply)
  }

  rejectAll(error: unknown): void {
    for (const [id] of this.#pending) this.reject(id, error)
  }

  #remove(id: number): Pending<Reply, Note> | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }
}
