const MEBIBYTE = 1024 * 1024
/** Garbage that justifies a pause of some tens of milliseconds. */
const WORTH = 32 * MEBIBYTE
/** Growth between two samples of an idle process. */
const IDLE_GROWTH = 8 * MEBIBYTE
/** Highest share of busy time of an idle process. */
const IDLE_SHARE = 0.5
/** Milliseconds between samples. */
const LOOK_INTERVAL = 2_000

/** Bytes of heap and buffers in use, garbage included. */
export interface MemorySample {
  /** After the last collection. */
  readonly floor: number
  readonly before: number
  readonly now: number
  /** Share of the time between the two samples that the event loop was busy, 0 to 1. */
  readonly busy: number
}

/**
 * Whether to collect garbage now. V8 collects when memory is allocated, so the garbage of a burst of large responses
 * would stay while the node is idle. Under load memory goes up and down, and the pause would add to those of V8.
 */
export function shouldCollect({ floor, before, now, busy }: MemorySample): boolean {
  return now > floor + WORTH && now - before < IDLE_GROWTH && busy < IDLE_SHARE
}

export interface IdleMemoryDeps {
  readonly used: () => number
  /** Share of the time since the last call that the event loop was busy. */
  readonly busy: () => number
  /** Runs a full garbage collection. */
  readonly collect: () => void
}

/** @returns stops sampling */
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

/** Heap and external memory of this process. */
export function usedMemory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
