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

/** Asking the system takes longer than a short request may be held up by it. */
const PROCESSOR_TIME_KEPT = 1

let processorTimeAsked = Number.NEGATIVE_INFINITY
let processorTimeKnown = 0

/** Milliseconds that this process has run, on all its threads; as of a millisecond ago at most. */
export function processorTime(): number {
  const now = performance.now()
  if (now - processorTimeAsked > PROCESSOR_TIME_KEPT) {
    processorTimeAsked = now
    const { user, system } = process.cpuUsage()
    processorTimeKnown = (user + system) / 1000
  }
  return processorTimeKnown
}
