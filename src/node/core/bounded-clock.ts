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
 * Share by which the clock runs faster while the system's is ahead: a virtual machine that its host paused for a minute
 * is back at real time in 20, and a clock that is wrong for a minute moves the chain by three seconds.
 */
const CATCH_UP = 0.05

/**
 * A clock whose wall time does not follow a jump forward of the system's: timestamps of blocks only grow, so that a
 * wrong time would stay in the chain for good. It runs a little faster until it has caught up. Time while the machine
 * was suspended is no jump. Once it has been compared with other machines, it runs faster only while it is behind them.
 *
 * @param maxJumpMs milliseconds that the system's time may gain on the monotonic clock between two readings
 */
export function boundedClock(
  { maxJumpMs }: { readonly maxJumpMs: number },
  { clock = systemClock, uptimeMs = () => uptime() * 1_000, log }: BoundedClockDeps,
): Clock {
  let [wallBefore, monotonicBefore] = [clock.wall(), clock.monotonic()]
  let suspendedBefore = uptimeMs() - monotonicBefore
  let isSystemAhead = false
  let isBehindOthers = true

  function wall(): number {
    const [now, monotonic] = [clock.wall(), clock.monotonic()]
    const elapsed = monotonic - monotonicBefore
    const expected = wallBefore + elapsed * (isSystemAhead && isBehindOthers ? 1 + CATCH_UP : 1)
    if (now - expected > maxJumpMs && !wasSuspended(now - expected, monotonic)) {
      if (!isSystemAhead) {
        const aheadMs = Math.round(now - expected)
        log.error(
          { aheadMs },
          'the system clock jumped ahead: blocks follow it by at most 3 s in a minute; correct it, or restart the node if the new time is right',
        )
        wallBefore = expected
        monotonicBefore = monotonic
      }
      isSystemAhead = true
      return expected
    }
    isSystemAhead = false
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

  function noteOffset(offsetMs: number): void {
    // The time until now ran at the earlier rate.
    const now = wall()
    if (isSystemAhead) [wallBefore, monotonicBefore] = [now, clock.monotonic()]
    isBehindOthers = offsetMs < 0
  }

  return { wall, noteOffset, monotonic: () => clock.monotonic(), at: (instant, action) => clock.at(instant, action) }
}
