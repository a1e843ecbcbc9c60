import type { Clock } from '../../core/clock.ts'

/** Bounds of the work on one flashblock. */
export interface Budget {
  /** Maximum gas used in the block by the end of the flashblock. */
  readonly gas: bigint
  /** Milliseconds of execution, after which no further transaction is added. */
  readonly executionMs: number
  /** Maximum number of validity predicates to evaluate; further transactions with predicates wait. */
  readonly predicates: number
  /** Milliseconds of yielding to submissions, so that the flashblock is not late. */
  readonly yieldMs: number
}

/** For blocks that have no deadline. */
export function unlimited(gas: bigint): Budget {
  const unbounded = Number.POSITIVE_INFINITY
  return { gas, executionMs: unbounded, predicates: unbounded, yieldMs: unbounded }
}

/** Yields within a slot when a time slice is used up. */
export type YieldWhenDue = () => Promise<void> | undefined

export interface YieldDeps {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Yields to the event loop. */
  readonly yieldTurn: () => Promise<void>
}

/** Milliseconds of work on a flashblock between yields, in which submissions can be acknowledged. */
const TIME_SLICE_MS = 2

/** Work goes on without yielding when `yieldMs` is used up. */
export function yieldingWork({ yieldMs }: Pick<Budget, 'yieldMs'>, { clock, yieldTurn }: YieldDeps): YieldWhenDue {
  let left = yieldMs
  let end = clock.monotonic() + TIME_SLICE_MS
  return () => {
    const now = clock.monotonic()
    if (now < end || left <= 0) return undefined
    return yieldTurn().then(() => {
      const after = clock.monotonic()
      left -= after - now
      end = after + TIME_SLICE_MS
    })
  }
}
