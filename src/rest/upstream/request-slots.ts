import type { Clock } from '../../node/core/clock.ts'
import { UpstreamError } from './upstream-failure.ts'

interface Options {
  /** What runs at once. */
  readonly maxRunning: number
  /** What waits for that; more is refused. */
  readonly maxWaiting: number
}

interface Parts {
  readonly clock: Clock
}

/** Bounds how much an upstream is asked at once: what comes in beyond that waits for its turn, or is refused. */
export class RequestSlots {
  readonly #options: Options
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()
  #running = 0

  constructor(options: Options, { clock }: Parts) {
    this.#options = options
    this.#clock = clock
  }

  get running(): number {
    return this.#running
  }

  /**
   * @param deadline on the monotonic clock; whoever has not begun by then does not begin
   * @throws UpstreamError `busy`, `timeout`
   */
  async run<T>(task: () => Promise<T>, deadline: number): Promise<T> {
    if (this.#running >= this.#options.maxRunning) await this.#turn(deadline)
    else this.#running += 1
    try {
      return await task()
    } finally {
      // The slot goes to who waited longest without being free in between.
      const [next] = this.#waiting
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  #turn(deadline: number): Promise<void> {
    const { maxWaiting } = this.#options
    if (this.#waiting.size >= maxWaiting) throw new UpstreamError({ kind: 'busy', waiting: maxWaiting })
    const start = this.#clock.monotonic()
    return new Promise((resolve, reject) => {
      const begin = () => {
        this.#waiting.delete(begin)
        cancel()
        resolve()
      }
      const cancel = this.#clock.at(deadline, () => {
        this.#waiting.delete(begin)
        reject(new UpstreamError({ kind: 'timeout', milliseconds: deadline - start }))
      })
      this.#waiting.add(begin)
    })
  }
}
