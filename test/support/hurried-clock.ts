import type { Clock } from '../../src/node/core/clock.ts'

/** A clock on which a second of timers takes as long as 50 ms really take: for pauses that a test would sit through. */
export function hurriedClock(factor = 20): Clock {
  const monotonic = () => performance.now() * factor
  return {
    wall: () => Date.now(),
    monotonic,
    at(instant, action) {
      const timer = setTimeout(action, Math.max(0, Math.ceil((instant - monotonic()) / factor)))
      return () => clearTimeout(timer)
    },
  }
}
