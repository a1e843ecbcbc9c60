interface Waiting {
  readonly sequence: number
  readonly resolve: () => void
}

/**
 * How far all workers are: what one client was told of by one of them, it finds at each of them. A worker that hangs is left
 * out, so that it does not hold up the others' clients.
 */
export class CommonSequence<Member> {
  readonly #applied = new Map<Member, number>()
  /** In the order in which they came; most are of the newest records. */
  #waiting: Waiting[] = []

  /** From now on it is waited for. */
  join(member: Member, sequence: number): void {
    this.#applied.set(member, sequence)
  }

  /** It has applied records up to `sequence`; nothing where it has not joined. */
  advance(member: Member, sequence: number): void {
    if (!this.#applied.has(member)) return
    this.#applied.set(member, sequence)
    this.#release()
  }

  leave(member: Member): void {
    if (this.#applied.delete(member)) this.#release()
  }

  /** Settles when all who have joined show a record; at once where there is nobody. */
  reached(sequence: number): Promise<void> {
    if (this.#lowest() >= sequence) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ sequence, resolve }))
  }

  #release(): void {
    if (this.#waiting.length === 0) return
    const lowest = this.#lowest()
    const ready = this.#waiting.filter(({ sequence }) => sequence <= lowest)
    if (ready.length === 0) return
    this.#waiting = this.#waiting.filter(({ sequence }) => sequence > lowest)
    for (const { resolve } of ready) resolve()
  }

  #lowest(): number {
    return Math.min(...this.#applied.values())
  }
}
