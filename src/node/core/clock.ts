/** Time as the node knows it; a test hands in its own. */
export interface Clock {
  /** Milliseconds since 1970. May jump. */
  wall(): number
  /** Milliseconds since some fixed instant. Never jumps; schedules use it. */
  monotonic(): number
  /** Runs `action` once, at `instant` on the monotonic clock or as soon after as possible. Gives a cancel function. */
  at(instant: number, action: () => void): () => void
}

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  at(instant, action) {
    let timer: NodeJS.Timeout
    // A timer may fire up to a millisecond early.
    const fire = () => {
      const left = instant - performance.now()
      if (left <= 0) action()
      else timer = setTimeout(fire, Math.ceil(left))
    }
    timer = setTimeout(fire, Math.max(0, Math.floor(instant - performance.now())))
    return () => clearTimeout(timer)
  },
}

/**
 * Milliseconds. Asking the system takes some 10 microseconds, and more with many threads: a tenth of a short request.
 * As long as a request's slice, so that one which has used up its slice was measured since it began.
 */
const SAMPLE_INTERVAL_MS = 8

/**
 * Milliseconds that a busy thread of this process has run at most, by what the clock says now: those of all threads,
 * but no more than have passed. Between two looks, every few milliseconds, it is taken to run all the time: whoever
 * begins meanwhile is thought to have used less, not more, than it has.
 *
 * @param now milliseconds on the monotonic clock
 */
export type ProcessorTime = (now: number) => number

/** @param sample the system */
export function processorTimeMeter(sample: () => number): ProcessorTime {
  let sampledAt = Number.NEGATIVE_INFINITY
  let lastSample = 0
  let busy = 0
  return (now) => {
    if (now - sampledAt > SAMPLE_INTERVAL_MS) {
      const ran = sample()
      busy += Math.min(ran - lastSample, now - sampledAt)
      lastSample = ran
      sampledAt = now
    }
    return busy + (now - sampledAt)
  }
}

/** Clock of this process. */
export const processorTime = processorTimeMeter(() => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
})
