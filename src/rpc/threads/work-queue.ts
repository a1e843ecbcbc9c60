export interface Work {
  /**
   * Does the work. Never rejects.
   *
   * @param isCancelled polled between steps
   */
  work(isCancelled: () => boolean): Promise<void>
  /** Called instead of `work` when it is cancelled before it starts. */
  drop(): void
}

/** Runs tasks one after another in their order, so that each has the thread for itself. */
export class WorkQueue {
  readonly #waiting = new Map<number, Work>()
  #current: { readonly id: number; isCancelled: boolean } | undefined

  add(id: number, work: Work): void {
    this.#waiting.set(id, work)
    if (this.#current === undefined) void this.#workOff()
  }

  /** Drops a queued task, or cancels the running one. */
  cancel(id: number): void {
    if (this.#current?.id === id) this.#current.isCancelled = true
    const work = this.#waiting.get(id)
    if (work === undefined) return
    this.#waiting.delete(id)
    work.drop()
  }

  async #workOff(): Promise<void> {
    // Iterating a map includes entries that are added meanwhile.
    for (const [id, work] of this.#waiting) {
      this.#waiting.delete(id)
      const current = { id, isCancelled: false }
      this.#current = current
      await work.work(() => current.isCancelled)
    }
    this.#current = undefined
  }
}
