const MEBIBYTE = 1024 * 1024
/** Garbage that is worth a pause of some tens of milliseconds. */
const WORTH = 32 * MEBIBYTE
/** Growth between two looks of a process that does little. */
const IDLE_GROWTH = 8 * MEBIBYTE
/** Milliseconds between looks. */
const LOOK_INTERVAL = 2_000

/** Bytes of heap and buffers in use, garbage included. */
export interface MemoryLooks {
  /** After the last collection. */
  readonly floor: number
  readonly before: number
  readonly now: number
}

/**
 * Whether garbage should be collected now. V8 does it when memory is asked for: what is left of a burst of large answers
 * would stay for as long as the node then does little.
 */
export function shouldCollect({ floor, before, now }: MemoryLooks): boolean {
  return now > floor + WORTH && now - before < IDLE_GROWTH
}

export interface IdleMemoryParts {
  readonly used: () => number
  /** Collects garbage, all of it. */
  readonly collect: () => void
}

/** @returns stops looking */
export function giveBackIdleMemory({ used, collect }: IdleMemoryParts): () => void {
  let floor = used()
  let before = floor
  const timer = setInterval(() => {
    const now = used()
    if (shouldCollect({ floor, before, now })) {
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
