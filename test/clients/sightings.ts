/** What a watcher told so far, in order; tests wait for what they want to see. */
export class Sightings<T> {
  readonly all: T[] = []
  readonly #waiting = new Set<() => void>()
  #error: Error | undefined

  add(item: T): void {
    this.all.push(item)
    this.#wake()
  }

  /** Whoever waits, now or later, gets this error instead. */
  fail(error: Error): void {
    this.#error ??= error
    this.#wake()
  }

  /** The first item that is as wanted, whether it came already or comes yet. */
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
