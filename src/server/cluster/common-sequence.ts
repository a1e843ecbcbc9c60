interface PendingWait {
  readonly sequence: number
  readonly resolve: () => void
}

/**
 * The highest sequence number that all workers have applied: a client then finds the result of its request at every
 * worker. A worker that hangs is excluded, so that it does not delay clients of the others.
 */
export class CommonSequence<Member> {
  readonly #applied = new Map<Member, number>()
  /** In order of arrival; most callers wait for the newest records. */
  #waiting: PendingWait[] = []

  /** Adds a worker. */
  join(member: Member, sequence: number): void {
    this.#applied.set(member, sequence)
  }

  /** Records the progress of a worker; ignored for one that has not joined. */
  advance(member: Member, sequence: number): void {
    if (!this.#applied.has(member)) return
    this.#applied.set(member, sequence)
    this.#release()
  }

  leave(member: Member): void {
    if (this.#applied.delete(member)) this.#release()
  }

  /** Resolves when all workers have applied a record; at once without workers. */
  reached(sequence: number): Promise<void> {
    if (this.#lowest() >= sequence) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ sequence, resolve }))
  }

  #release(): void {
    if (this.#waiting.length === 0) return
    const lowest = this.#lowest()
    const reached = this.#waiting.filter(({ sequence }) => sequence <= lowest)
    if (reached.length === 0) return
    this.#waiting = this.#waiting.filter(({ sequence }) => sequence > lowest)
    for (const { resolve } of reached) resolve()
  }

  #lowest(): number {
    return Math.min(...this.#applied.values())
  }
}
