import { uptime } from 'node:os'
import { type Clock, systemClock } from './clock.ts'

export interface BoundedClockDeps {
  /** Default: that of the system. */
  readonly clock?: Clock
  /** Milliseconds since the machine was started, while it was suspended included. Default: that of the system. */
  readonly uptimeMs?: () => number
  readonly log: { error(details: object, message: string): void }
}

/** `os.uptime` has whole seconds. */
const UPTIME_ERROR_MS = 2_000

/**
 * A clock whose wall time does not follow a jump forward of the system's: timestamps of blocks only grow, so that a
 * wrong time would stay in the chain for good. Time while the machine was suspended is no jump.
 *
 * @param maxJumpMs milliseconds that the system's time may gain on the monotonic clock between two readings
 */
export function boundedClock(
  { maxJumpMs }: { readonly maxJumpMs: number },
  { clock = systemClock, uptimeMs = () => uptime() * 1_000, log }: BoundedClockDeps,
): Clock {
  let [wallBefore, monotonicBefore] = [clock.wall(), clock.monotonic()]
  let suspendedBefore = uptimeMs() - monotonicBefore
  let isAhead = false

  function wall(): number {
    const [now, monotonic] = [clock.wall(), clock.monotonic()]
    const expected = wallBefore + (monotonic - monotonicBefore)
    if (now - expected > maxJumpMs && !wasSuspended(now - expected, monotonic)) {
      if (!isAhead) {
        const aheadMs = Math.round(now - expected)
        log.error(
          { aheadMs },
          'the system clock jumped ahead: blocks do not follow it; correct it, or restart the node',
        )
      }
      isAhead = true
      return expected
    }
    isAhead = false
    wallBefore = now
    monotonicBefore = monotonic
    return now
  }

  function wasSuspended(gainMs: number, monotonic: number): boolean {
    const suspended = uptimeMs() - monotonic
    const isExplained = gainMs <= suspended - suspendedBefore + maxJumpMs + UPTIME_ERROR_MS
    if (suspended - suspendedBefore < UPTIME_ERROR_MS || !isExplained) return false
    suspendedBefore = suspended
    return true
  }

  return { wall, monotonic: () => clock.monotonic(), at: (instant, action) => clock.at(instant, action) }
}
