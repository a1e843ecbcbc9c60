import type { MonotonicClock } from '../../primitives/clock.ts'

/** Time source of a node; tests use a manual one. */
export interface Clock extends MonotonicClock {
  /** Milliseconds since 1970. May jump. */
  wall(): number
  /** Tells the clock by how many milliseconds `wall()` is ahead of the time of other machines. */
  noteOffset?(offsetMs: number): void
}

/** Timers of Node fire at once above it. */
const MAX_TIMEOUT_MS = 0x7fff_ffff

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  at(instant, action) {
    let timer: NodeJS.Timeout
    const wait = (milliseconds: number) => {
      timer = setTimeout(fire, Math.min(Math.max(0, milliseconds), MAX_TIMEOUT_MS))
    }
    // A timer may fire up to a millisecond early.
    const fire = () => {
      const left = instant - performance.now()
      if (left <= 0) action()
      else wait(Math.ceil(left))
    }
    wait(Math.floor(instant - performance.now()))
    return () => clearTimeout(timer)
  },
}

/**
 * Milliseconds between samples. A sample takes about 10 microseconds, and more with many threads: a tenth of a short
 * request. As long as a request's time slice, so that the meter has sampled since the start of a used-up slice.
 */
const SAMPLE_INTERVAL_MS = 8

/**
 * Upper bound of the processor time, in milliseconds, that a busy thread of this process has used so far: the time of
 * all threads, but no more than has elapsed. Between samples, every few milliseconds, the thread counts as running: the
 * error is in favour of a caller that starts between two samples.
 *
 * @param now milliseconds on the monotonic clock
 */
export type ProcessorTime = (now: number) => number

/** @param sample processor time of the process in milliseconds */
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

/** Processor time of this process. */
export const processorTime = processorTimeMeter(() => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
})
