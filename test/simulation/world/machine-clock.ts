import type { Scheduler } from './scheduler.ts'

/** Unix time of the start of every simulation, in milliseconds. */
export const EPOCH = Date.UTC(2026, 0, 1)

/** The wall clock of a machine. */
export class MachineClock {
  readonly #settings: { readonly offsetMs: number; readonly drift: number }
  readonly #deps: { readonly scheduler: Scheduler }
  #jumpMs = 0
  /** Simulated time at which it was set. */
  #setAt = 0

  /** @param settings milliseconds that it is ahead once it is set, and the share by which it is faster */
  constructor(
    settings: { readonly offsetMs: number; readonly drift: number },
    deps: { readonly scheduler: Scheduler },
  ) {
    this.#settings = settings
    this.#deps = deps
  }

  /** Unix time in milliseconds. */
  wall(): number {
    const { offsetMs, drift } = this.#settings
    const { now } = this.#deps.scheduler
    return EPOCH + now + offsetMs + this.#jumpMs + drift * (now - this.#setAt)
  }

  jump(milliseconds: number): void {
    this.#jumpMs += milliseconds
  }

  /** Sets it to the right time, almost. */
  set(): void {
    this.#jumpMs = 0
    this.#setAt = this.#deps.scheduler.now
  }
}
