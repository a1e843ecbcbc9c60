const MEBIBYTE = 1024 * 1024
/** Garbage that is worth a pause of some tens of milliseconds. */
const WORTH = 32 * MEBIBYTE
/** Growth between two looks of a process that does little. */
const IDLE_GROWTH = 8 * MEBIBYTE
/** Share of the time that its event loop was at work. */
const IDLE_SHARE = 0.5
/** Milliseconds between looks. */
const LOOK_INTERVAL = 2_000

/** Bytes of heap and buffers in use, garbage included. */
export interface MemorySample {
  /** After the last collection. */
  readonly floor: number
  readonly before: number
  readonly now: number
  /** Share of the time between the two looks that the event loop was at work: 0 to 1. */
  readonly busy: number
}

/**
 * Whether garbage should be collected now. V8 does it when memory is asked for: what is left of a burst of large answers
 * would stay for as long as the node then does little. Under load memory goes up and down: that it grew little between two
 * looks says nothing then, and the pause would come on top of those that V8 makes anyway.
 */
export function shouldCollect({ floor, before, now, busy }: MemorySample): boolean {
  return now > floor + WORTH && now - before < IDLE_GROWTH && busy < IDLE_SHARE
}

export interface IdleMemoryDeps {
  readonly used: () => number
  /** Share of the time since the last call that the event loop was at work. */
  readonly busy: () => number
  /** Collects garbage, all of it. */
  readonly collect: () => void
}

/** @returns stops looking */
export function collectWhenIdle({ used, busy, collect }: IdleMemoryDeps): () => void {
  let floor = used()
  let before = floor
  const timer = setInterval(() => {
    const now = used()
    if (shouldCollect({ floor, before, now, busy: busy() })) {
      collect()
      floor = used()
    } else {
      floor = Math.min(floor, now)
    }
    before = used()
  }, LOOK_INTERVAL)
  timer.unref()
  return () => clearInterval(timer)
}

/** Of this process. */
export function usedMemory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
