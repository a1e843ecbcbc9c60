import type { MayContinue } from '../../engine/types.ts'
import type { Clock } from '../../node/core/clock.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import type { InclusionWaits } from '../scheduling/inclusion-waits.ts'
import type { YieldIfDue } from '../scheduling/time-slices.ts'

/** How the work of a request waits, and what bounds it. */
export interface WaitContext {
  /** Yields between steps of long work when the slice is used. */
  readonly yieldIfDue: YieldIfDue
  /**
   * Reports the bytes of the response so far. Called before a yield.
   *
   * @throws RpcError -32005 when there is no memory for it
   */
  readonly grown: (bytes: number) => void
  /** Yields as `yieldIfDue`, for work that `callTimeoutMs` bounds; false when the time is up. */
  readonly mayContinue: MayContinue
  /** Creates a `MayContinue` for work with a limit of its own. Waits for state of a forked node do not count. */
  readonly timeLimit: (limitMs: number) => MayContinue
  /** Milliseconds on the monotonic clock, for work that cannot yield. */
  readonly now: () => number
}

/** How a request waits for the flashblock with a pending transaction: on the newest heads of the node. */
export interface FlashblockWait {
  readonly timeoutMs: number
  readonly node: ServedNode
  readonly clock: Clock
  readonly waits: InclusionWaits
}
