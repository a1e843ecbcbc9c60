import type { Clock } from '../../src/node/core/clock.ts'

interface Alarm {
  readonly instant: number
  readonly action: () => void
}

/** A clock that moves only by `moveTo`: for tests, and for building a chain faster than real time. */
export class ManualClock implements Clock {
  #now: number
  readonly #offset: number
  readonly #alarms = new Set<Alarm>()

  constructor(options: { readonly wall: number }) {
    this.#now = 0
    this.#offset = options.wall
  }

  wall(): number {
    return this.#offset + this.#now
  }

  monotonic(): number {
    return this.#now
  }

  at(instant: number, action: () => void): () => void {
    const alarm = { instant, action }
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  /** Time of the next alarm; `undefined` without alarms. */
  get next(): number | undefined {
    let earliest: number | undefined
    for (const { instant } of this.#alarms) earliest = Math.min(earliest ?? instant, instant)
    return earliest
  }

  /** Moves to `instant` and runs all alarms due by then, in time order, including those added meanwhile. */
  moveTo(instant: number): void {
    for (;;) {
      const due = [...this.#alarms].filter((alarm) => alarm.instant <= instant)
      if (due.length === 0) break
      const first = due.reduce((a, b) => (b.instant < a.instant ? b : a))
      this.#alarms.delete(first)
      this.#now = Math.max(this.#now, first.instant)
      first.action()
    }
    this.#now = Math.max(this.#now, instant)
  }
}
