import type { MonotonicClock } from '../primitives/clock.ts'
import { UpstreamError } from './upstream-failure.ts'

interface Options {
  /** Concurrent requests. */
  readonly maxRunning: number
  /** Queued requests; more are rejected. */
  readonly maxWaiting: number
}

interface Parts {
  readonly clock: MonotonicClock
}

/** Limits concurrent requests to an upstream; further ones are queued or rejected. */
export class RequestSlots {
  readonly #options: Options
  readonly #clock: MonotonicClock
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
   * @param deadline on the monotonic clock; a task that has not started by then is rejected
   * @throws UpstreamError `busy`, `timeout`
   */
  async run<T>(task: () => Promise<T>, deadline: number): Promise<T> {
    if (this.#running >= this.#options.maxRunning) await this.#turn(deadline)
    else this.#running += 1
    try {
      return await task()
    } finally {
      // The slot passes to the longest waiting task without becoming free.
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
