import type { MonotonicClock } from '../../primitives/clock.ts'

/** Spreads calls so that there are at most so many a second on average. */
export class RequestPace {
  readonly #perSecond: number | undefined
  readonly #clock: MonotonicClock
  /** When the next request may start. */
  #next = 0

  /** @param options.perSecond calls; a batch counts each of its calls. Default: no limit */
  constructor(options: { readonly perSecond?: number | undefined }, deps: { readonly clock: MonotonicClock }) {
    this.#perSecond = options.perSecond
    this.#clock = deps.clock
  }

  /** Resolves when a request with so many calls may start; requests start in the order in which they ask. */
  turn(calls: number): Promise<void> | undefined {
    if (this.#perSecond === undefined) return undefined
    const now = this.#clock.monotonic()
    const start = Math.max(now, this.#next)
    this.#next = start + (calls * 1_000) / this.#perSecond
    if (start <= now) return undefined
    return new Promise((resolve) => this.#clock.at(start, resolve))
  }
}
