import type { Clock } from '../core/clock.ts'
import type { BlockInterval } from '../development/mining-mode.ts'
import type { BlockDriver } from './block-driver.ts'
import type { OpeningPlan } from './building/next-block.ts'

export interface OnDemandDriverDeps {
  readonly clock: Clock
  /** Uniform in 0 (inclusive) to 1. */
  readonly random: () => number
  /** Mines a block, also without transactions. Runs after the operations requested before it. */
  readonly mine: () => Promise<void>
}

/**
 * Builds a block at each interval, if there is one. Between blocks the open block stays empty: it only shows what the
 * next block would be.
 */
export class OnDemandDriver implements BlockDriver {
  readonly #interval: BlockInterval | undefined
  readonly #deps: OnDemandDriverDeps
  #due: number | undefined
  #cancel: (() => void) | undefined
  #working: Promise<void> = Promise.resolve()

  constructor({ interval }: { readonly interval: BlockInterval | undefined }, deps: OnDemandDriverDeps) {
    this.#interval = interval
    this.#deps = deps
  }

  resumed(): void {}

  opened(): void {}

  run(): void {
    const { clock, mine } = this.#deps
    if (this.#interval === undefined || this.#cancel !== undefined) return
    this.#due ??= clock.monotonic() + this.#nextInterval(this.#interval)
    this.#cancel = clock.at(this.#due, () => {
      this.#cancel = undefined
      // Blocks that are late are skipped.
      this.#due = Math.max(this.#due!, clock.monotonic()) + this.#nextInterval(this.#interval!)
      // The node fails if mining fails.
      this.#working = mine().catch(() => {})
    })
  }

  halt(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** The work in progress is an operation like that of the caller. */
  async stop(): Promise<void> {
    this.halt()
  }

  idle(): Promise<void> {
    return this.#working
  }

  get openingTime(): number {
    return this.#deps.clock.monotonic()
  }

  opening(instant: number): OpeningPlan {
    const { clock } = this.#deps
    return { wallMs: clock.wall() - (clock.monotonic() - instant), leadMs: 0, replaced: 0n }
  }

  #nextInterval({ minMs, maxMs }: BlockInterval): number {
    return minMs + Math.floor(this.#deps.random() * (maxMs - minMs + 1))
  }
}
