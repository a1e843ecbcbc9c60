/** Items observed so far, in order; tests wait for the item that they expect. */
export class ObservedEvents<T> {
  readonly all: T[] = []
  readonly #waiting = new Set<() => void>()
  #error: Error | undefined

  add(item: T): void {
    this.all.push(item)
    this.#wake()
  }

  /** Rejects pending and later waits with this error. */
  fail(error: Error): void {
    this.#error ??= error
    this.#wake()
  }

  /** The first matching item, observed already or later. */
  first(isWanted: (item: T) => boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.all.find(isWanted)
        if (found === undefined && this.#error === undefined) return
        this.#waiting.delete(look)
        if (found === undefined) reject(this.#error)
        else resolve(found)
      }
      this.#waiting.add(look)
      look()
    })
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look()
  }
}
