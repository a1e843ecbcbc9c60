export interface Work {
  /**
   * Does it. Never rejects.
   *
   * @param isCancelled asked between its steps: then the rest need not be done
   */
  work(isCancelled: () => boolean): Promise<void>
  /** It is never begun. */
  drop(): void
}

/** Work that is done in the order in which it came, one after the other, so that each has its time for itself. */
export class WorkQueue {
  readonly #waiting = new Map<number, Work>()
  #current: { readonly id: number; isCancelled: boolean } | undefined

  add(id: number, work: Work): void {
    this.#waiting.set(id, work)
    if (this.#current === undefined) void this.#workOff()
  }

  /** Drops what waits, and tells what is under way. */
  cancel(id: number): void {
    if (this.#current?.id === id) this.#current.isCancelled = true
    const work = this.#waiting.get(id)
    if (work === undefined) return
    this.#waiting.delete(id)
    work.drop()
  }

  async #workOff(): Promise<void> {
    // What comes meanwhile is come to as well.
    for (const [id, work] of this.#waiting) {
      this.#waiting.delete(id)
      const current = { id, isCancelled: false }
      this.#current = current
      await work.work(() => current.isCancelled)
    }
    this.#current = undefined
  }
}
