interface Options {
  /** Milliseconds that it may have work and answer nothing. */
  readonly limit: number
}

interface Deps {
  readonly hasWork: () => boolean
  /** It has stood still for so long. */
  readonly onStall: () => void
}

/**
 * Notices that a thread stands still. One timer for as long as it is busy, which looks how long ago it answered last: with one
 * for each batch of requests, as with a `Map` of them, V8 kept the answers to all of them until a whole collection (measured: 99
 * to 145 MB in five seconds of simulations, 2 to 3 with neither).
 */
export class StallWatchdog {
  readonly #options: Options
  readonly #deps: Deps
  #timer: NodeJS.Timeout | undefined
  /** Since when it has had its time. */
  #movedAt = 0

  constructor(options: Options, deps: Deps) {
    this.#options = options
    this.#deps = deps
  }

  /** Before it has the request. What it has already, it has had its time for since it answered last. */
  asked(): void {
    if (!this.#deps.hasWork()) this.answered()
    this.#timer ??= this.#start(this.#options.limit)
  }

  /** From now on it has its time again. */
  answered(): void {
    this.#movedAt = performance.now()
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #start(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined
      if (!this.#deps.hasWork()) return
      const left = this.#movedAt + this.#options.limit - performance.now()
      if (left > 0) this.#timer = this.#start(left)
      else this.#deps.onStall()
    }, milliseconds).unref()
  }
}
