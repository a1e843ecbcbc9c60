import { getHeapStatistics } from 'node:v8'

const MEBIBYTE = 1024 * 1024
/** Garbage that justifies a pause of some tens of milliseconds. */
const WORTH = 32 * MEBIBYTE
/** Growth between two samples of an idle process. */
const IDLE_GROWTH = 8 * MEBIBYTE
/** Highest share of busy time of an idle process. */
const IDLE_SHARE = 0.5
/** Milliseconds between samples. */
const LOOK_INTERVAL_MS = 2_000
/**
 * Samples after which a collection is repeated while more memory is in use than before it grew. The requests of clients
 * that were connected at the time of the collection are garbage later, although nothing more is allocated.
 */
const REPETITIONS = [4, 8, 16, 32]

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

/** Decides with each sample of the memory of a process whether to collect garbage. */
export class IdleCollector {
  readonly #deps: IdleMemoryDeps
  /** Use after the last collection. */
  #floor: number
  /** Use before the memory grew. */
  #base: number
  #before: number
  /** Samples since the last collection. */
  #samples = 0
  /** Repetitions since the memory grew. */
  #repetitions = REPETITIONS.length

  constructor(deps: IdleMemoryDeps) {
    this.#deps = deps
    this.#floor = deps.used()
    this.#base = this.#floor
    this.#before = this.#floor
  }

  /** Called every `LOOK_INTERVAL`. */
  sample(): void {
    const { used, busy, collect } = this.#deps
    const now = used()
    const isPending = this.#repetitions < REPETITIONS.length
    this.#samples += 1
    const isRepetition = isPending && this.#samples >= REPETITIONS[this.#repetitions]!
    const floor = isRepetition ? this.#base : this.#floor
    if (shouldCollect({ floor, before: this.#before, now, busy: busy() })) {
      collect()
      if (!isPending) this.#base = this.#floor
      this.#repetitions = isRepetition ? this.#repetitions + 1 : 0
      this.#samples = 0
      this.#floor = used()
    } else {
      this.#floor = Math.min(this.#floor, now)
    }
    this.#before = used()
  }
}

/** @returns stops sampling */
export function collectWhenIdle(deps: IdleMemoryDeps): () => void {
  const collector = new IdleCollector(deps)
  const timer = setInterval(() => collector.sample(), LOOK_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Heap and external memory of this process. `process.memoryUsage` opens a file, which fails without descriptors. */
export function usedMemory(): number {
  const { used_heap_size, external_memory } = getHeapStatistics()
  return used_heap_size + external_memory
}
