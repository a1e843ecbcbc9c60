/** Monotonic time and timers; tests use a manual clock. */
export interface MonotonicClock {
  /** Milliseconds since an arbitrary instant. Monotonic; schedules use it. */
  monotonic(): number
  /**
   * Runs `action` once, at `instant` on the monotonic clock or as soon after as possible. Returns a cancel function.
   */
  at(instant: number, action: () => void): () => void
}
