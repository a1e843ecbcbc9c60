import type { OpeningPlan } from './building/next-block.ts'

/** Decides when blocks are built. Other operations on the chain run while it is stopped. */
export interface BlockDriver {
  /** The block that is open now was resumed, with the newest flashblock `index`. */
  resumed(index: number): void
  /** The block that is open now was opened at an instant on the monotonic clock. */
  opened(instant: number): void
  /** Continues the open block. */
  run(): void
  /** Starts no further work. */
  halt(): void
  /** Starts no further work, and waits for the work in progress. */
  stop(): Promise<void>
  /** Resolves when the work in progress is complete. */
  idle(): Promise<void>
  /** Instant of a block that is opened now. */
  readonly openingTime: number
  /** A block that is opened at an instant. */
  opening(instant: number): OpeningPlan
}
